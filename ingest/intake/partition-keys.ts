/**
 * What keeps the records of one thing together: the updates of a session, and the check-ins of a monitor, whose order
 * counts. Read from the bytes by a scan; an item without what it is looked for goes by its own id.
 */
import { createHash } from 'node:crypto'
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

/** Longer slugs are cut, so what is behind this must not part two of one monitor. */
const slugCharactersMax = 50

/**
 * 16 bytes, the same for every slug that may mean one monitor: whatever a slug is cleaned of, its letters and digits
 * stay, in lower case. That two monitors share a key does no harm.
 */
export function monitorPartitionKey(slug: string): Uint8Array {
  const plain = slug
    .trim()
    .slice(0, slugCharactersMax)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
  return createHash('sha256').update(plain).digest().subarray(0, 16)
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
