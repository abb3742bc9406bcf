/**
 * A check-in of a job without an SDK: `status` and the like in the query or in the body, the monitor's slug in the path. It
 * becomes the check-in that an SDK would have sent; what it says of its monitor is looked at where that one's would be.
 */
import { normalizeEventId } from '#schemas/ids.ts'
import { monitorSlug } from '#schemas/wire/monitor-slug.ts'

export type ReadCheckIn =
  /** `payload` is JSON, as an SDK's check-in. */
  | { readonly kind: 'check_in'; readonly payload: string }
  /** `field` broke `rule`. */
  | { readonly kind: 'invalid'; readonly field: string; readonly rule: string }

export interface CheckInCall {
  readonly slug: string
  readonly query: string
  /** Empty, a JSON object, or a form as `curl -d` sends it. What it says wins over the query. */
  readonly body: Buffer
}

/** What a job may report. Runs are missed, or overrun, without its help. */
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
    return invalid('monitor_slug', 'must have a letter or a digit')
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
    // What can be parsed may still be nested too deeply to be written.
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
