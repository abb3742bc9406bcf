/**
 * One event during the steps of `normalizeSteps`: the attributes that the client sent, and the
 * values that the steps have read from them so far. `event` holds the values for columns, filters
 * and grouping; `stored` is the tree that becomes the payload. Both share the stack frames and
 * every list, so nothing is built twice.
 */
import type { EventId } from '#schemas/ids.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import type { Place, PlaceOf } from '../places/place.ts'
import type { NormalizedEvent } from './event.ts'
import type { KnownFrames } from './known-frames/known-frames.ts'
import type { KnownModules } from './plain-data/known-modules.ts'
import type { PlainRules } from './plain-data/plain-rules.ts'
import type { StoredEvent } from './stored-event.ts'
import type { Cut } from './values/cut-parts.ts'
import type { CutText } from './values/mark-cut-texts.ts'
import { Notes } from './values/notes.ts'
import type { JsonObject } from './values/read-value.ts'

export interface RawEvent {
  readonly payload: Uint8Array
  readonly eventId: EventId
  readonly receivedAtMs: number
  /** `sent_at` of the envelope's header: the client's clock when it sent the envelope. */
  readonly sentAt?: string
  /** Client address of the TCP connection, or of the client that a trusted proxy named. */
  readonly address?: string
  /** Label of the DSN key. */
  readonly component?: string
  /** Name that the client gave when it authenticated. */
  readonly client?: string
  /** Looks up the place of an address; absent when places are unknown or must not be stored. */
  readonly placeOf?: PlaceOf
  /** Address of the connection for `placeOf` alone, also where addresses are not stored. */
  readonly connection?: string
  /** Removes sensitive values from the parsed payload before any step reads it. */
  readonly scrub?: (payload: JsonObject, notes: Notes) => void
  /**
   * Frames of earlier events, which this event may share. Absent if somebody changes the frames of
   * an event, or if what scrubbing does to one frame depends on the others.
   */
  readonly knownFrames?: KnownFrames
  /**
   * What scrubbing says about data that is stored as it was sent. Absent if what scrubbing does to
   * one text depends on the others.
   */
  readonly plainRules?: PlainRules
  /** Modules of earlier events. */
  readonly knownModules?: KnownModules
}

/** The fate of an event that is not stored as one. */
export type Dropped =
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly detail: string }
  /** The payload has the type of another item, which is not stored. */
  | { readonly kind: 'unsupported'; readonly itemType: 'transaction' }

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export interface Draft {
  readonly raw: RawEvent
  /** The parsed payload. */
  readonly payload: JsonObject
  /** Parts that were cut from the text, until the steps that put them back. */
  readonly cuts: readonly Cut[]
  readonly notes: Notes
  /** The attributes of the payload, each under its current name. */
  sent: SentAttributes
  /**
   * Milliseconds that the client's clock is behind the server's; 0 when that is unknown or small.
   */
  clockDriftMs: number
  /** Value of the tag `environment`, which old clients send instead of the attribute. */
  environmentTag: string
  /** `sdk.settings.infer_ip` of the payload. */
  inferIp: unknown
  /** Place of the user's address. */
  place: Place | undefined
  /** Texts that were cut and are marked in `_meta`. */
  readonly cutTexts: CutText[]
  readonly event: Mutable<NormalizedEvent>
  readonly stored: Mutable<StoredEvent>
}

export type SentAttributes = ReturnType<typeof sentAttributes>

const absent = storedText('')
const noUser = { id: '', email: '', name: '', ip: '' }

export function openDraft(
  raw: RawEvent,
  { object, cuts }: { readonly object: JsonObject; readonly cuts: readonly Cut[] },
): Draft {
  const { eventId, receivedAtMs } = raw
  return {
    raw,
    payload: object,
    cuts,
    notes: new Notes(),
    sent: sentAttributes(object),
    clockDriftMs: 0,
    environmentTag: '',
    inferIp: undefined,
    place: undefined,
    cutTexts: [],
    event: {
      eventId,
      occurredAtMs: receivedAtMs,
      receivedAtMs,
      level: 'error',
      platform: 'other',
      logger: '',
      transaction: '',
      serverName: '',
      release: absent,
      dist: absent,
      environment: absent,
      component: '',
      sdk: '',
      user: noUser,
      tags: [],
      message: undefined,
      exceptions: [],
      threads: [],
      frames: [],
      fingerprint: undefined,
      checksum: undefined,
      securityReport: undefined,
      images: [],
      request: undefined,
      payload: '',
    },
    stored: {
      event_id: eventId,
      timestamp: '',
      received: '',
      platform: 'other',
      level: 'error',
      type: 'default',
      logger: undefined,
      transaction: undefined,
      server_name: undefined,
      release: undefined,
      dist: undefined,
      environment: undefined,
      component: undefined,
      logentry: undefined,
      exception: undefined,
      stacktrace: undefined,
      threads: undefined,
      tags: undefined,
      user: undefined,
      request: undefined,
      contexts: undefined,
      breadcrumbs: undefined,
      extra: undefined,
      fingerprint: undefined,
      checksum: undefined,
      sdk: undefined,
      modules: undefined,
      debug_meta: undefined,
      csp: undefined,
      errors: undefined,
      _meta: undefined,
      notes: undefined,
    },
  }
}

/**
 * Returns the attributes that the steps read; some also exist under the long names of the oldest
 * clients.
 */
export function sentAttributes(payload: JsonObject) {
  return {
    timestamp: payload['timestamp'],
    platform: payload['platform'],
    level: payload['level'],
    logger: payload['logger'],
    transaction: payload['transaction'] ?? payload['culprit'],
    server_name: payload['server_name'],
    site: payload['site'],
    release: payload['release'],
    dist: payload['dist'],
    environment: payload['environment'],
    message: payload['message'],
    logentry: payload['logentry'] ?? payload['sentry.interfaces.Message'],
    exception: payload['exception'] ?? payload['sentry.interfaces.Exception'],
    stacktrace: payload['stacktrace'] ?? payload['sentry.interfaces.Stacktrace'],
    threads: payload['threads'],
    tags: payload['tags'],
    user: payload['user'] ?? payload['sentry.interfaces.User'],
    request: payload['request'] ?? payload['sentry.interfaces.Http'],
    contexts: payload['contexts'] ?? payload['sentry.interfaces.Contexts'],
    breadcrumbs: payload['breadcrumbs'] ?? payload['sentry.interfaces.Breadcrumbs'],
    csp: payload['csp'] ?? payload['sentry.interfaces.Csp'] ?? payload['csp-report'],
    extra: payload['extra'],
    sdk: payload['sdk'],
    modules: payload['modules'],
    fingerprint: payload['fingerprint'],
    checksum: payload['checksum'],
    debug_meta: payload['debug_meta'],
    errors: payload['errors'],
    _meta: payload['_meta'],
  }
}
