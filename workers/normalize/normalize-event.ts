/**
 * Normalises one event of a client: one shape, valid fields, bounded lists and texts. An invalid
 * attribute is left out and noted in the payload; only a payload that is no event is dropped. The
 * steps are pure, so a range that is digested again after a crash gives the same row bytes.
 */
import { normalizeEventId } from '#schemas/ids.ts'
import { type Draft, type Dropped, openDraft, type RawEvent, sentAttributes } from './draft.ts'
import type { NormalizedEvent } from './event.ts'
import { putBackFrames } from './known-frames/put-back-frames.ts'
import { normalizeFingerprint } from './normalize-fingerprint.ts'
import { normalizeMessage } from './normalize-message.ts'
import { normalizeErrors, normalizeMeta } from './normalize-meta.ts'
import { normalizeLevel, normalizeNames, normalizePlatform } from './normalize-names.ts'
import { normalizeRelease } from './normalize-release.ts'
import { normalizeSdk } from './normalize-sdk.ts'
import { normalizeTime } from './normalize-time.ts'
import { putBackPlainData } from './plain-data/put-back-plain-data.ts'
import { describeUserAgent } from './scope/describe-user-agent.ts'
import { findPlace } from './scope/find-place.ts'
import { normalizeBreadcrumbs } from './scope/normalize-breadcrumbs.ts'
import { normalizeContexts, normalizeExtra, normalizeModules } from './scope/normalize-contexts.ts'
import { normalizeRequest } from './scope/normalize-request.ts'
import { normalizeSecurityReport } from './scope/normalize-security-report.ts'
import { normalizeTags } from './scope/normalize-tags.ts'
import { normalizeUser } from './scope/normalize-user.ts'
import { normalizeExceptions } from './stacks/normalize-exceptions.ts'
import { normalizeImages } from './stacks/normalize-images.ts'
import { normalizeThreads } from './stacks/normalize-threads.ts'
import { parsePayload } from './values/parse-payload.ts'
import { writePayload } from './values/write-payload.ts'

export type Normalized = { readonly kind: 'event'; readonly event: NormalizedEvent } | Dropped

// biome-ignore lint/suspicious/noConfusingVoidType: only the steps called drop… return anything.
export type NormalizeStep = (draft: Draft) => Dropped | void

/**
 * The steps run in this order. A step may read values that earlier steps wrote to the draft, and
 * notes are kept in the order in which the steps add them.
 */
export const normalizeSteps: readonly NormalizeStep[] = [
  dropTransaction,
  findPlace,
  putBackFrames,
  putBackPlainData,
  scrubPayload,
  noteUnusedId,
  normalizePlatform,
  normalizeExceptions,
  normalizeThreads,
  normalizeMessage,
  normalizeTags,
  normalizeRelease,
  normalizeSdk,
  normalizeUser,
  normalizeImages,
  normalizeSecurityReport,
  normalizeTime,
  normalizeLevel,
  normalizeNames,
  normalizeFingerprint,
  normalizeBreadcrumbs,
  normalizeRequest,
  normalizeContexts,
  describeUserAgent,
  normalizeExtra,
  normalizeModules,
  normalizeErrors,
  normalizeMeta,
  setType,
  writePayload,
]

export function normalizeEvent(raw: RawEvent): Normalized {
  const parsed = parsePayload(raw.payload, raw)
  if (parsed.kind === 'rejected') return parsed
  const draft = openDraft(raw, parsed)
  for (const step of normalizeSteps) {
    const dropped = step(draft)
    if (dropped !== undefined) return dropped
  }
  return { kind: 'event', event: draft.event }
}

function dropTransaction({ payload }: Draft): Dropped | undefined {
  if (payload['type'] !== 'transaction') return undefined
  return { kind: 'unsupported', itemType: 'transaction' }
}

function scrubPayload(draft: Draft): void {
  const { raw, payload, notes } = draft
  raw.scrub?.(payload, notes)
  // Values of the payload were replaced, so attributes that were read before may be stale.
  draft.sent = sentAttributes(payload)
}

function noteUnusedId({ raw, payload, notes }: Draft): void {
  const sent = payload['event_id']
  if (sent === undefined || sent === null || sent === raw.eventId) return
  const ownId = normalizeEventId(sent)
  if (ownId === undefined) notes.add('event_id', 'not a valid id: replaced')
  else if (ownId !== raw.eventId) notes.add('event_id', 'replaced by the id of the envelope')
}

function setType({ event, stored }: Draft): void {
  if (event.securityReport !== undefined) stored.type = 'csp'
  else stored.type = event.exceptions.length > 0 ? 'error' : 'default'
}
