/**
 * What keeps the records of one thing together: the updates of a session, and the check-ins of a monitor, whose order
 * counts. Read from the bytes by a scan; an item without what it is looked for goes by its own id.
 */
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { normalizeEventId } from '#schemas/ids.ts'
import { scanString } from '../envelope/scan-string.ts'

const sid = Buffer.from('sid')
const monitorSlug = Buffer.from('monitor_slug')

/** 16 bytes, the same for every way to write one session id. */
export function sessionPartitionKey(
  bytes: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  const text = scanString(sid, bytes, start, end)
  if (text === undefined) return undefined
  const id = normalizeEventId(text)
  return id === undefined ? undefined : Buffer.from(id, 'hex')
}

export function checkInPartitionKey(
  bytes: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  const text = scanString(monitorSlug, bytes, start, end)
  return text === undefined ? undefined : monitorPartitionKey(withoutEscapes(text))
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
