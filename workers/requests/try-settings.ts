/**
 * What the settings of a project would do to one event, by the code that digests events. Pure, and
 * bounded for any bytes: the reply is one message on the bus.
 */
import type { TrySettingsRequest, WorkerTrialResult } from '#schemas/bus/worker-request.ts'
import type { EventId } from '#schemas/ids.ts'
import { busMessageBytesMax, KiB, MiB } from '#schemas/limits.ts'
import { type RejectReason, unsupportedReason } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import { type ProjectRules, rulesOf } from '../digest/project-rules.ts'
import { filteredReason } from '../filters/filter-event.ts'
import { type EventFate, judgeEvent } from '../filters/judge-event.ts'
import { groupRuled } from '../grouping/group-v1.ts'
import { storeRuledFrames } from '../grouping/rules/store-ruled-frames.ts'
import type { PlaceOf } from '../places/place.ts'
import { asSent } from './as-sent.ts'
import { RemovalList } from './list-removals.ts'

const detailCharactersMax = 500
const valueCharactersMax = 200
/** Of the scrubbed event. Removed values may make it larger than what was sent. */
const eventBytesShownMax = 1 * MiB
const replyBytesMax = busMessageBytesMax - 64 * KiB

type Verdict = Pick<WorkerTrialResult, 'outcome' | 'reason' | 'detail' | 'filter' | 'stored'>

export interface TriedSettings {
  readonly request: TrySettingsRequest
  readonly payload: Uint8Array
}

export function trySettings(
  { request, payload }: TriedSettings,
  placeOf?: PlaceOf,
): WorkerTrialResult {
  const rules = rulesOf(request.settings)
  const removals = new RemovalList()
  let changes: WorkerTrialResult['changes'] = []
  let scrubbed = '{}'
  const judge = (): EventFate =>
    judgeEvent(
      {
        payload: asSent(payload),
        eventId: request.event_id as EventId,
        receivedAtMs: request.received_at_ms,
        ...(request.component === undefined ? {} : { component: request.component }),
        ...(placeOf !== undefined && rules.keepsPlaces ? { placeOf } : {}),
        scrub: (event, notes) => {
          rules.scrub(event, {
            add: (field, rule, ...place) => {
              notes.add(field, rule)
              removals.add(field, rule, ...place)
            },
          })
          changes = removals.changesIn(event)
          scrubbed = JSON.stringify(event)
        },
      },
      rules.filters,
    )
  const verdict = verdictOf(judge, rules)
  const isShown = Buffer.byteLength(scrubbed) <= eventBytesShownMax
  return withinReply({
    ...verdict,
    removed: removals.removed,
    changes,
    is_complete: removals.isComplete && isShown,
    event: isShown ? JSON.parse(scrubbed) : {},
  })
}

function verdictOf(judge: () => EventFate, rules: ProjectRules): Verdict {
  const none = { detail: null, filter: null, stored: null }
  try {
    const fate = judge()
    switch (fate.kind) {
      case 'rejected':
        return { ...none, ...rejected(fate.reason, fate.detail) }
      case 'unsupported':
        return { ...none, outcome: 'unsupported', reason: unsupportedReason(fate.itemType) }
      case 'filtered': {
        const { name, rule = null, value = null } = fate.filter
        const filter = { name, rule, value: value && storedText(value, valueCharactersMax) }
        return { ...none, outcome: 'filtered', reason: filteredReason(name), filter }
      }
      case 'event': {
        const ruled = rules.grouping?.apply(fate.event)
        // An event that cannot be grouped is not stored.
        groupRuled(fate.event, ruled)
        const { payload } = storeRuledFrames(fate.event, ruled)
        return { ...none, outcome: 'stored', reason: null, stored: JSON.parse(payload) }
      }
    }
  } catch (error) {
    // As in digest-range.ts, where such an event becomes a dead letter.
    const detail = error instanceof Error ? error.message : String(error)
    return { ...none, ...rejected('undigestible', storedText(detail, detailCharactersMax)) }
  }
}

function rejected(reason: RejectReason, detail: string) {
  return { outcome: 'rejected', reason, detail } as const
}

function withinReply(result: WorkerTrialResult): WorkerTrialResult {
  const smaller: readonly Partial<WorkerTrialResult>[] = [
    {},
    { is_complete: false, event: {} },
    { is_complete: false, event: {}, stored: null },
    { is_complete: false, event: {}, stored: null, changes: [] },
  ]
  const fits = smaller
    .map((less) => ({ ...result, ...less }))
    .find((less) => Buffer.byteLength(JSON.stringify(less)) <= replyBytesMax)
  return (
    fits ?? { ...result, is_complete: false, event: {}, stored: null, changes: [], removed: [] }
  )
}
