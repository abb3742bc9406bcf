/**
 * Keys that route related records to one partition, where their order is kept: the updates of a
 * session, and the check-ins of a monitor. Items without a key are routed by their own id.
 */
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { normalizeEventId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { scanString } from '../envelope/scan-string.ts'

const sid = Buffer.from('sid')
const monitorSlug = Buffer.from('monitor_slug')

/** 16 bytes, equal for all spellings of a session id. */
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

/** Check-ins are much shorter than this. */
const parsedBytesMax = 8 * KiB

/**
 * The worker that maintains a monitor's clock expects its check-ins in the partition of the slug,
 * so the slug is parsed as the worker parses it. Only oversized payloads, which no client sends,
 * are scanned.
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
