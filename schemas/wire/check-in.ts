/**
 * A check-in of a monitor in an envelope (Sentry check-in protocol): one ping of a job that starts,
 * runs or ends. Only the fields that identify its monitor and run are required. Other fields are
 * dropped when they are invalid.
 */
import { normalizeEventId } from '../ids.ts'
import { type StoredText, storedText } from '../stored-text.ts'
import { type ConfigError, type MonitorConfig, parseMonitorConfig } from './monitor-config.ts'
import { monitorSlug } from './monitor-slug.ts'
import { isJsonObject, readJsonObject } from './read-json.ts'

export const checkInStatuses = ['in_progress', 'ok', 'error'] as const
export type CheckInStatus = (typeof checkInStatuses)[number]

export interface CheckIn {
  /** Normalised slug. */
  readonly slug: StoredText
  /** 32 lowercase hex digits. Undefined means the newest running run, or a new one. */
  readonly checkInId: string | undefined
  readonly status: CheckInStatus
  readonly environment: StoredText
  readonly durationMs: number | undefined
  readonly release: StoredText | undefined
  /** Trace id of the errors of the same run. */
  readonly trace: { readonly traceId: string; readonly spanId: string | undefined } | undefined
  readonly config: MonitorConfig | undefined
}

export type ParsedCheckIn =
  | {
      readonly kind: 'check_in'
      readonly checkIn: CheckIn
      /** Why `monitor_config` was dropped. */
      readonly error: ConfigError | undefined
    }
  | { readonly kind: 'rejected'; readonly reason: 'invalid_json' | 'invalid_check_in' }

const environmentDefault = storedText('production')
const environmentCharactersMax = 64
const releaseCharactersMax = 200
const durationSecondsMax = 366 * 86_400
const nilId = /^[0-]+$/

export function parseCheckIn(payload: Uint8Array): ParsedCheckIn {
  const sent = readJsonObject(payload)
  if (sent === undefined) return { kind: 'rejected', reason: 'invalid_json' }
  const slug =
    typeof sent['monitor_slug'] === 'string' ? monitorSlug(sent['monitor_slug']) : undefined
  const status = checkInStatuses.find((name) => name === sent['status'])
  const checkInId = readId(sent['check_in_id'])
  const environment = readEnvironment(sent['environment'])
  if (
    slug === undefined ||
    status === undefined ||
    checkInId === null ||
    environment === undefined
  ) {
    return { kind: 'rejected', reason: 'invalid_check_in' }
  }
  const parsed =
    sent['monitor_config'] === undefined || sent['monitor_config'] === null
      ? undefined
      : parseMonitorConfig(sent['monitor_config'])
  return {
    kind: 'check_in',
    checkIn: {
      slug,
      checkInId,
      status,
      environment,
      durationMs: readDuration(sent['duration']),
      release: readText(sent['release'], releaseCharactersMax),
      trace: readTrace(sent['contexts']),
      config: parsed?.kind === 'config' ? parsed.config : undefined,
    },
    error: parsed?.kind === 'invalid' ? parsed : undefined,
  }
}

/** Undefined when the id is absent or all zeros; null when it is invalid. */
function readId(sent: unknown): string | undefined | null {
  if (sent === undefined || sent === null) return undefined
  if (typeof sent === 'string' && nilId.test(sent)) return undefined
  return normalizeEventId(sent) ?? null
}

function readEnvironment(sent: unknown): StoredText | undefined {
  if (sent === undefined || sent === null || sent === '') return environmentDefault
  return readText(sent, environmentCharactersMax)
}

function readDuration(sent: unknown): number | undefined {
  const isDuration = typeof sent === 'number' && 0 <= sent && sent <= durationSecondsMax
  return isDuration ? Math.round(sent * 1000) : undefined
}

function readTrace(contexts: unknown): CheckIn['trace'] {
  const trace = isJsonObject(contexts) ? contexts['trace'] : undefined
  if (!isJsonObject(trace)) return undefined
  const traceId = normalizeEventId(trace['trace_id'])
  const spanId = trace['span_id']
  if (traceId === undefined) return undefined
  const isSpan = typeof spanId === 'string' && /^[0-9a-f]{16}$/.test(spanId)
  return { traceId, spanId: isSpan ? spanId : undefined }
}

/**
 * A name with control characters or lone surrogates is refused instead of cleaned, because cleaning
 * would change the name.
 */
function readText(sent: unknown, charactersMax: number): StoredText | undefined {
  if (typeof sent !== 'string') return undefined
  const text = sent.trim()
  return text !== '' && text.length <= charactersMax && !/[\p{Cc}\p{Cs}]/u.test(text)
    ? storedText(text)
    : undefined
}
