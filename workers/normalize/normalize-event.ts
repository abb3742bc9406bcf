/**
 * One event as a client sent it to one that every later step can trust: one shape, valid fields, bounded
 * lists and texts. A bad attribute costs only itself and leaves a note; only what is no event at all is
 * rejected. Pure, since the rows of a range that is digested again must be the same bytes.
 */
import { type EventId, normalizeEventId } from '#schemas/ids.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { type CanonicalEvent, type CanonicalRequest, orAbsent } from './canonical-event.ts'
import type { NormalizedEvent } from './event.ts'
import { fieldCharactersMax } from './field-limits.ts'
import { normalizeFingerprint } from './normalize-fingerprint.ts'
import { readLevel } from './normalize-level.ts'
import { normalizeMessage } from './normalize-message.ts'
import { readPlatform } from './normalize-platform.ts'
import { normalizeRelease, readEnvironment } from './normalize-release.ts'
import { normalizeSdk } from './normalize-sdk.ts'
import { clockDriftMs, isoTime, readOccurredAt } from './normalize-time.ts'
import { normalizeBreadcrumbs } from './scope/normalize-breadcrumbs.ts'
import { normalizeContexts, normalizeExtra, normalizeModules } from './scope/normalize-contexts.ts'
import { normalizeRequest } from './scope/normalize-request.ts'
import { normalizeSecurityReport } from './scope/normalize-security-report.ts'
import { normalizeTags } from './scope/normalize-tags.ts'
import { normalizeUser, remoteAddressOf } from './scope/normalize-user.ts'
import { normalizeExceptions } from './stacks/normalize-exceptions.ts'
import { normalizeImages } from './stacks/normalize-images.ts'
import { normalizeThreads } from './stacks/normalize-threads.ts'
import { cleanText, cutText } from './values/clean-text.ts'
import { Notes } from './values/notes.ts'
import { parsePayload } from './values/parse-payload.ts'
import { type JsonObject, readLenientText, readObject } from './values/read-value.ts'
import { writePayload } from './values/write-payload.ts'

export interface RawEvent {
  readonly payload: Uint8Array
  readonly eventId: EventId
  readonly receivedAtMs: number
  /** Of the envelope's header: the client's clock when it sent. */
  readonly sentAt?: string
  /** Of the connection. */
  readonly address?: string
  /** Label of the DSN key. */
  readonly component?: string
  /** What the client called itself when it authenticated. */
  readonly client?: string
  /** Removes from the parsed payload what must not be kept, before anything reads it. */
  readonly scrub?: (payload: JsonObject, notes: Notes) => void
}

export type Normalized =
  | {
      readonly kind: 'event'
      readonly event: NormalizedEvent
      /** As it stands in the payload. */
      readonly request: CanonicalRequest | undefined
    }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly detail: string }
  /** The payload says that it is an item of another kind, which is not stored. */
  | { readonly kind: 'unsupported'; readonly itemType: 'transaction' }

export function normalizeEvent(raw: RawEvent): Normalized {
  const parsed = parsePayload(raw.payload)
  if (parsed.kind === 'rejected') return parsed
  if (parsed.object['type'] === 'transaction') {
    return { kind: 'unsupported', itemType: 'transaction' }
  }

  const notes = new Notes()
  raw.scrub?.(parsed.object, notes)
  const sent = withoutLegacyNames(parsed.object)
  noteUnusedId(parsed.object['event_id'], raw.eventId, notes)

  const driftMs = clockDriftMs(raw.receivedAtMs, raw.sentAt)
  const platform = readPlatform(sent.platform) ?? 'other'
  const stackContext = { platform, notes }
  const exceptions = normalizeExceptions(sent, stackContext)
  const threads = normalizeThreads(sent.threads, stackContext)
  const message = normalizeMessage(sent, notes)
  const tags = normalizeTags(sent, notes)
  const names = normalizeRelease(sent, notes)
  const environment = names.environment || readEnvironment(tags.environment, notes)
  const sdk = normalizeSdk(sent.sdk, raw.client, notes)
  const user = normalizeUser(sent.user, {
    platform,
    address: raw.address ?? '',
    remoteAddress: remoteAddressOf(readObject(sent.request)),
    inferIp: sdk.inferIp,
    payloadText: parsed.text,
    notes,
  })
  const images = normalizeImages(sent.debug_meta, notes)
  const security = normalizeSecurityReport(sent.csp, notes)
  const text = (value: unknown, field: 'logger' | 'transaction' | 'checksum') =>
    readLenientText(value, { field, charactersMax: fieldCharactersMax[field], notes })

  const typed: Omit<NormalizedEvent, 'payload'> = {
    eventId: raw.eventId,
    occurredAtMs: readOccurredAt({
      timestamp: sent.timestamp,
      receivedAtMs: raw.receivedAtMs,
      driftMs,
      notes,
    }),
    receivedAtMs: raw.receivedAtMs,
    level: readLevel(sent.level) ?? 'error',
    platform,
    logger: text(sent.logger, 'logger'),
    transaction: text(sent.transaction, 'transaction'),
    serverName: readLenientText(sent.server_name, {
      field: 'server_name',
      charactersMax: fieldCharactersMax.serverName,
      notes,
    }),
    release: names.release,
    dist: names.dist,
    environment,
    component: cutText(cleanText(raw.component ?? '').trim(), fieldCharactersMax.component),
    sdk: sdk.text,
    user: user.typed,
    tags: tags.tags,
    message: message?.typed,
    exceptions: exceptions.read.map((exception) => exception.typed),
    threads: threads.map((thread) => thread.typed),
    frames: exceptions.ownStack?.frames ?? [],
    fingerprint: normalizeFingerprint(sent.fingerprint, notes),
    checksum: orAbsent(text(sent.checksum, 'checksum')),
    securityReport: security.typed,
    images: images.typed,
  }

  const crumbs = normalizeBreadcrumbs(sent.breadcrumbs, { driftMs, notes })
  const canonical: CanonicalEvent = {
    event_id: typed.eventId,
    timestamp: isoTime(typed.occurredAtMs),
    received: isoTime(typed.receivedAtMs),
    platform,
    level: typed.level,
    type: typeOf(typed),
    logger: orAbsent(typed.logger),
    transaction: orAbsent(typed.transaction),
    server_name: orAbsent(typed.serverName),
    release: orAbsent(typed.release),
    dist: orAbsent(typed.dist),
    environment: orAbsent(environment),
    component: orAbsent(typed.component),
    logentry: message && {
      message: message.typed.template,
      formatted: message.typed.formatted,
      params: message.params,
    },
    exception: valuesOf(exceptions.read.map((exception) => exception.canonical)),
    stacktrace: exceptions.ownStack?.canonical,
    threads: valuesOf(threads.map((thread) => thread.canonical)),
    tags: typed.tags.length === 0 ? undefined : typed.tags,
    user: user.canonical,
    request: normalizeRequest(sent.request, notes),
    contexts: normalizeContexts(sent.contexts, notes),
    breadcrumbs: valuesOf(crumbs),
    extra: normalizeExtra(sent.extra, notes),
    fingerprint: typed.fingerprint,
    checksum: typed.checksum,
    sdk: sdk.canonical,
    modules: normalizeModules(sent.modules, notes),
    debug_meta: images.canonical.length === 0 ? undefined : { images: images.canonical },
    csp: security.canonical,
    notes: undefined,
  }
  // Read before the payload is written, which leaves it out of an event that is too large.
  const { request } = canonical
  return { kind: 'event', event: { ...typed, payload: writePayload(canonical, notes) }, request }
}

/** The attributes that are read, each also under the long name that the oldest clients use. */
function withoutLegacyNames(object: JsonObject) {
  return {
    timestamp: object['timestamp'],
    platform: object['platform'],
    level: object['level'],
    logger: object['logger'],
    transaction: object['transaction'] ?? object['culprit'],
    server_name: object['server_name'],
    site: object['site'],
    release: object['release'],
    dist: object['dist'],
    environment: object['environment'],
    message: object['message'],
    logentry: object['logentry'] ?? object['sentry.interfaces.Message'],
    exception: object['exception'] ?? object['sentry.interfaces.Exception'],
    stacktrace: object['stacktrace'] ?? object['sentry.interfaces.Stacktrace'],
    threads: object['threads'],
    tags: object['tags'],
    user: object['user'] ?? object['sentry.interfaces.User'],
    request: object['request'] ?? object['sentry.interfaces.Http'],
    contexts: object['contexts'] ?? object['sentry.interfaces.Contexts'],
    breadcrumbs: object['breadcrumbs'] ?? object['sentry.interfaces.Breadcrumbs'],
    csp: object['csp'] ?? object['sentry.interfaces.Csp'] ?? object['csp-report'],
    extra: object['extra'],
    sdk: object['sdk'],
    modules: object['modules'],
    fingerprint: object['fingerprint'],
    checksum: object['checksum'],
    debug_meta: object['debug_meta'],
  }
}

function noteUnusedId(sent: unknown, used: EventId, notes: Notes): void {
  if (sent === undefined || sent === null || sent === used) return
  const ownId = normalizeEventId(sent)
  if (ownId === undefined) notes.add('event_id', 'not a valid id: replaced')
  else if (ownId !== used) notes.add('event_id', 'replaced by the id of the envelope')
}

function typeOf(event: Omit<NormalizedEvent, 'payload'>): CanonicalEvent['type'] {
  if (event.securityReport !== undefined) return 'csp'
  return event.exceptions.length > 0 ? 'error' : 'default'
}

function valuesOf<T>(values: readonly T[]): { readonly values: readonly T[] } | undefined {
  return values.length === 0 ? undefined : { values }
}
