import type { EventId } from '#schemas/ids.ts'

const bytes = Buffer.alloc(16)

/** The id as it stands in a record. The bytes are those of the latest call: whoever keeps them copies them. */
export function eventIdBytes(id: EventId): Uint8Array {
  for (let at = 0; at < 16; at += 1) {
    bytes[at] = (hexDigit(id.charCodeAt(at * 2)) << 4) | hexDigit(id.charCodeAt(at * 2 + 1))
  }
  return bytes
}

/** Of lowercase digits, which is all that an id has. */
function hexDigit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57
}
