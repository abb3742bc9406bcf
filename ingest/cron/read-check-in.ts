/**
 * Reads a check-in of a job without an SDK: `status` and other fields from the query or the body,
 * the monitor's slug from the path. The result is the check-in that an SDK would have sent; its
 * monitor configuration is validated in the worker, as an SDK's is.
 */
import { normalizeEventId } from '#schemas/ids.ts'
import { monitorSlug } from '#schemas/wire/monitor-slug.ts'

export type ReadCheckIn =
  /** `payload` is the JSON of an SDK's check-in. */
  | { readonly kind: 'check_in'; readonly payload: string }
  /** `field` violates `rule`. */
  | { readonly kind: 'invalid'; readonly field: string; readonly rule: string }

export interface CheckInCall {
  readonly slug: string
  readonly query: string
  /** Empty, a JSON object, or a form as `curl -d` sends it. Its fields override the query. */
  readonly body: Buffer
}

/** Statuses that a job may report. Missed and overrunning runs are detected by the monitor. */
const statuses: readonly unknown[] = ['in_progress', 'ok', 'error']
const nil = '0'.repeat(32)
const environmentCharactersMax = 64

export function readCheckIn({ slug, query, body }: CheckInCall): ReadCheckIn {
  const sent = readBody(body)
  if (sent === undefined) return invalid('body', 'must be a JSON object or a form')
  const said = new Map<string, unknown>([...new URLSearchParams(query), ...sent])
  const status = said.get('status')
  if (!statuses.includes(status)) return invalid('status', 'must be in_progress, ok or error')
  if (monitorSlug(slug) === undefined)
    return invalid('monitor_slug', 'must have a letter or a digit') // cspell:ignore letter
  const givenId = said.get('check_in_id') ?? nil
  const checkInId = givenId === nil ? nil : normalizeEventId(givenId)
  if (checkInId === undefined) return invalid('check_in_id', 'must be a UUID')
  const duration = readDuration(said.get('duration'))
  if (duration === 'invalid')
    return invalid('duration', 'must be a number of seconds, zero or more')
  const environment = said.get('environment') || undefined
  if (environment !== undefined && !isEnvironment(environment)) {
    return invalid(
      'environment',
      `must be a text of at most ${environmentCharactersMax} characters`,
    )
  }
  return checkIn({
    check_in_id: checkInId,
    monitor_slug: slug,
    status,
    duration,
    environment,
    release: said.get('release') ?? undefined,
    monitor_config: said.get('monitor_config') ?? undefined,
    contexts: said.get('contexts') ?? undefined,
  })
}

function checkIn(fields: Readonly<Record<string, unknown>>): ReadCheckIn {
  try {
    return { kind: 'check_in', payload: JSON.stringify(fields) }
  } catch (error) {
    // JSON that can be parsed may still be nested too deeply to be serialised.
    if (error instanceof RangeError) return invalid('body', 'must not be nested so deeply')
    throw error
  }
}

function readBody(body: Buffer): ReadonlyMap<string, unknown> | undefined {
  const text = body.toString('utf8').trim()
  if (text === '') return new Map()
  if (!/^[{["]/.test(text)) return new Map(new URLSearchParams(text))
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  return new Map(Object.entries(parsed))
}

function readDuration(sent: unknown): number | undefined | 'invalid' {
  if (sent === undefined || sent === null || sent === '') return undefined
  const seconds = typeof sent === 'string' ? Number(sent) : sent
  const isDuration = typeof seconds === 'number' && Number.isFinite(seconds) && 0 <= seconds
  return isDuration ? seconds : 'invalid'
}

function isEnvironment(sent: unknown): boolean {
  return typeof sent === 'string' && sent.length <= environmentCharactersMax
}

function invalid(field: string, rule: string): ReadCheckIn {
  return { kind: 'invalid', field, rule }
}
