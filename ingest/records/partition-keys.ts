/**
 * What keeps the records of one thing together: the updates of a session, and the check-ins of a monitor, whose order
 * counts. An item without what is looked for goes by its own id.
 */
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { normalizeEventId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
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

/** Check-ins that clients send are much shorter. */
const parsedBytesMax = 8 * KiB

/**
 * The worker that keeps a monitor's clock looks for its check-ins where the slug puts them, so the slug is read as it will be
 * read there; only of payloads that no client sends a scan has to do.
 */
export function checkInPartitionKey(
  bytes: Buffer,
  start: number,
  end: number,
): Uint8Array | undefined {
  const slug =
    end - start <= parsedBytesMax
      ? parsedSlug(bytes.toString('utf8', start, end))
      : scanString(monitorSlug, bytes, start, end)
  return typeof slug === 'string' ? monitorPartitionKey(slug) : undefined
}

function parsedSlug(text: string): unknown {
  try {
    const sent: unknown = JSON.parse(text)
    return typeof sent === 'object' && sent !== null && 'monitor_slug' in sent
      ? sent.monitor_slug
      : undefined
  } catch {
    return undefined
  }
}
