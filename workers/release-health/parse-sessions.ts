/**
 * Parses sessions as SDKs send them: `session` is one update of one session, `sessions` holds sums
 * that a server SDK counted itself (Sentry session protocol). The results can be merged: an update
 * carries only values that can grow, so repeated, late and reordered updates give the same total.
 * The time of receipt serves as the current time.
 */
import { z } from 'zod'
import { normalizeEventId, type ProjectId } from '#schemas/ids.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import { readJson } from '#schemas/wire/read-json.ts'
import { readReleaseNames } from '../normalize/normalize-release.ts'
import { clockDriftMs, futureMsMax } from '../normalize/normalize-time.ts'
import { Notes } from '../normalize/values/notes.ts'
import { readTimestamp } from '../normalize/values/read-timestamp.ts'
import { userHash } from './user-hash.ts'

/** Ascending: the later state wins over the earlier one, as stored. */
export const sessionStatuses = ['running', 'exited', 'unhandled', 'abnormal', 'crashed'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** The release, environment and hour that a session is counted under. */
export interface SessionPlace {
  readonly projectId: ProjectId
  readonly release: StoredText
  readonly environment: StoredText
  /** Hour in which the session started, in seconds since 1970. */
  readonly hourSecond: number
}

export interface SessionUpdate extends SessionPlace {
  /** 32 lowercase hex digits. */
  readonly sid: string
  readonly status: SessionStatus
  readonly isErrored: boolean
  /** Hash of the user; 0 when the session has none. */
  readonly userHash: number
  /** Duration of an ended session; 0 when unknown. */
  readonly durationMs: number
  /** False for a user of sessions that are counted in sums. */
  readonly counts: boolean
}

/** Number of sessions that ended in each of these states. */
export interface SessionSum extends SessionPlace {
  readonly exited: number
  readonly errored: number
  readonly unhandled: number
  readonly abnormal: number
  readonly crashed: number
}

export type ParsedSessions =
  | { readonly kind: 'update'; readonly update: SessionUpdate }
  | {
      readonly kind: 'sums'
      readonly sums: readonly SessionSum[]
      /** One update for each user that a sum names. */
      readonly users: readonly SessionUpdate[]
    }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

export interface SentSessions {
  readonly projectId: ProjectId
  readonly recordId: string
  readonly receivedAtMs: number
  readonly sentAt?: string | undefined
  readonly payload: Uint8Array
}

const hourSeconds = 3_600
const ageMsMax = 5 * 24 * hourSeconds * 1000
const durationMsMax = 30 * 24 * hourSeconds * 1000
const countMax = 1_000_000_000
/** Buckets read of one item; SDKs send at most about a hundred. */
const bucketsMax = 1_000
const defaultEnvironment = storedText('production')

const Attributes = z.object({
  release: z.unknown().optional(),
  environment: z.unknown().optional(),
})
const Count = z.number().int().min(0).max(countMax).catch(0)
const Session = z.object({
  sid: z.unknown().optional(),
  did: z.unknown().optional(),
  started: z.unknown().optional(),
  status: z.unknown().optional(),
  errors: z.number().min(0).catch(0),
  duration: z.number().min(0).catch(0),
  attrs: Attributes,
})
const Buckets = z.object({ aggregates: z.array(z.unknown()), attrs: Attributes })
const Bucket = z.object({
  started: z.unknown().optional(),
  did: z.unknown().optional(),
  exited: Count,
  errored: Count,
  unhandled: Count,
  abnormal: Count,
  crashed: Count,
})

/**
 * Parses an update of one session. It is dropped without a release or without a start in the last
 * five days.
 */
export function parseSession(sent: SentSessions): ParsedSessions {
  const parsed = readJson(sent.payload)
  if (parsed === undefined) return rejected('invalid_json')
  const session = Session.safeParse(parsed.value)
  if (!session.success) return rejected('invalid_session')
  const { sid, did, started, errors, duration, attrs } = session.data
  const place = placeOf(sent, attrs, started)
  if (place === undefined) return rejected('invalid_session')
  const status = statusOf(session.data.status)
  const isErrored =
    errors > 0 || session.data.status === 'errored' || sessionStatuses.indexOf(status) >= 2
  return {
    kind: 'update',
    update: {
      ...place,
      // Without an id the session is a new one, and a repeated request gives the same one.
      sid: normalizeEventId(sid) ?? sent.recordId,
      status,
      isErrored,
      userHash: userHash(sent.projectId, did),
      durationMs: status === 'exited' ? Math.min(durationMsMax, Math.round(duration * 1000)) : 0,
      counts: true,
    },
  }
}

/**
 * Parses sums. Invalid and outdated buckets are left out; an item without any other is rejected.
 */
export function parseSessionSums(sent: SentSessions): ParsedSessions {
  const parsed = readJson(sent.payload)
  if (parsed === undefined) return rejected('invalid_json')
  const item = Buckets.safeParse(parsed.value)
  if (!item.success) return rejected('invalid_session')
  const sums: SessionSum[] = []
  const users: SessionUpdate[] = []
  for (const each of item.data.aggregates.slice(0, bucketsMax)) {
    const bucket = Bucket.safeParse(each)
    const place = bucket.success && placeOf(sent, item.data.attrs, bucket.data.started)
    if (!place) continue
    const { did, started: _, ...counts } = bucket.data
    sums.push({ ...place, ...counts })
    const user = userOf(place, did, counts.crashed > 0)
    if (user !== undefined) users.push(user)
  }
  return sums.length === 0 ? rejected('invalid_session') : { kind: 'sums', sums, users }
}

function userOf(place: SessionPlace, did: unknown, hasCrashed: boolean): SessionUpdate | undefined {
  const hash = userHash(place.projectId, did)
  if (hash === 0) return undefined
  return {
    ...place,
    // This id differs from every session of an SDK and from every other user.
    sid: hash.toString(16).padStart(32, '0'),
    status: hasCrashed ? 'crashed' : 'exited',
    isErrored: hasCrashed,
    userHash: hash,
    durationMs: 0,
    counts: false,
  }
}

function placeOf(
  { projectId, receivedAtMs, sentAt }: SentSessions,
  attrs: z.infer<typeof Attributes>,
  started: unknown,
): SessionPlace | undefined {
  const { release, environment } = attrs
  const names = readReleaseNames({ release, environment, dist: undefined }, new Notes())
  const claimedMs = readTimestamp(started)
  if (names.release === '' || claimedMs === undefined) return undefined
  const startedMs = claimedMs + clockDriftMs(receivedAtMs, sentAt)
  if (startedMs < receivedAtMs - ageMsMax || receivedAtMs + futureMsMax < startedMs)
    return undefined
  const hourSecond = Math.floor(startedMs / 1000 / hourSeconds) * hourSeconds
  return {
    projectId,
    release: names.release,
    environment: names.environment === '' ? defaultEnvironment : names.environment,
    hourSecond,
  }
}

/** `errored` and unknown words mean that the session continues. */
function statusOf(sent: unknown): SessionStatus {
  switch (sent) {
    case 'exited':
    case 'unhandled':
    case 'abnormal':
    case 'crashed':
      return sent
    default:
      return 'running'
  }
}

function rejected(reason: RejectReason): ParsedSessions {
  return { kind: 'rejected', reason }
}
