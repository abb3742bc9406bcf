import type { EventId } from '#schemas/ids.ts'

const bytes = new Uint8Array(16)

/** The id as it stands in a record. The bytes are those of the latest call: whoever keeps them copies them. */
export function eventIdBytes(id: EventId): Uint8Array {
  for (let at = 0; at < 16; at += 1) {
    bytes[at] = (hexDigit(id.charCodeAt(at * 2)) << 4) | hexDigit(id.charCodeAt(at * 2 + 1))
  }
  return bytes
}

/** Of lowercase digits, which is all that an id has. Without a branch, which random digits would mislead half of the time. */
function hexDigit(code: number): number {
  return (code & 15) + 9 * (code >> 6)
}
