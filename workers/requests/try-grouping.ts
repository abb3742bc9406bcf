/**
 * How an event is grouped with the stored grouping rules of its project and with others, by the
 * code that digests events. Filters do not matter here.
 */
import type { TryGroupingRequest, WorkerReply } from '#schemas/bus/worker-request.ts'
import type { EventId } from '#schemas/ids.ts'
import { storedText } from '#schemas/stored-text.ts'
import { rulesOf } from '../digest/project-rules.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { GroupingRules } from '../grouping/rules/grouping-rules.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { asSent } from './as-sent.ts'

const detailCharactersMax = 500

export function tryGrouping(request: TryGroupingRequest, payload: Uint8Array): WorkerReply {
  const stored = rulesOf(request.settings)
  const tried = GroupingRules.of(request.tried)
  try {
    const normalized = normalizeEvent({
      payload: asSent(payload),
      eventId: request.event_id as EventId,
      receivedAtMs: request.received_at_ms,
      ...(request.component === undefined ? {} : { component: request.component }),
      scrub: stored.scrub,
    })
    if (normalized.kind !== 'event') {
      const detail =
        normalized.kind === 'rejected'
          ? normalized.detail
          : `items of the type ${normalized.itemType} are not grouped`
      return { kind: 'not_grouped', detail: storedText(detail, detailCharactersMax) }
    }
    const { event } = normalized
    const ruled = tried?.apply(event)
    return {
      kind: 'grouped',
      before: sideOf(event, stored.grouping),
      after: sideOf(event, tried),
      rules: [...(ruled?.matched ?? [])],
      is_complete: ruled?.isComplete ?? true,
    }
  } catch (error) {
    // As in digest-range.ts, where such an event becomes a dead letter.
    const detail = error instanceof Error ? error.message : String(error)
    return { kind: 'not_grouped', detail: storedText(detail, detailCharactersMax) }
  }
}

function sideOf(event: NormalizedEvent, rules: GroupingRules | undefined) {
  const grouping = groupEvent(event, rules)
  const { hashes, title, culprit } = grouping
  return {
    hashes: [...hashes],
    title: storedText(title),
    culprit: storedText(culprit),
    explanation: { ...grouping.explain() },
  }
}
