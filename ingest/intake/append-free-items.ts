/** Turns the items of a plan that cost no quota into records on their way. */
import type { IngestContext } from '../context.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import type { PlanSource } from './append-plan.ts'
import { eventIdBytes } from './event-id-bytes.ts'
import { FreeRecordIds } from './free-record-ids.ts'
import { checkInPartitionKey, sessionPartitionKey } from './partition-keys.ts'
import type { IntakePlan, PlannedItem } from './plan-intake.ts'

export interface FreePlan {
  readonly plan: IntakePlan
  /** Of the envelope's events. */
  readonly headerJson: string
  readonly waiter: FrameWaiter
}

export function appendFreeItems(
  {
    batcher,
    newEventId,
    recordHeaders,
  }: Pick<IngestContext, 'batcher' | 'newEventId' | 'recordHeaders'>,
  { key, address, bytes, receivedAtMs }: PlanSource,
  { plan, headerJson, waiter }: FreePlan,
): void {
  const { envelopeId, sentAt } = plan
  const ids = new FreeRecordIds({ envelopeId, sentAt, address }, bytes, () =>
    eventIdBytes(newEventId()),
  )
  const feedbackId = holdsOneFeedback(plan.freeItems) ? envelopeId : undefined
  for (const item of plan.freeItems) {
    const { kind, type, start, end } = item
    const partitionKey = partitionKeyOf(item, bytes)
    const isFeedback = kind === 'feedback'
    batcher.append(
      {
        kind,
        projectId: key.projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId: ids.next(item),
        ...(partitionKey && { partitionKey }),
        address,
        headerJson: recordHeaders.itemJson(
          headerJson,
          type === kind ? undefined : type,
          isFeedback ? feedbackId : undefined,
        ),
        payload: bytes,
        payloadStart: start,
        payloadEnd: end,
      },
      waiter,
    )
  }
}

function partitionKeyOf({ kind, type, start, end }: PlannedItem, bytes: Buffer) {
  if (kind === 'check_in') return checkInPartitionKey(bytes, start, end)
  return type === 'session' ? sessionPartitionKey(bytes, start, end) : undefined
}

/** With several the envelope's id would make all but one of them copies. */
function holdsOneFeedback(items: readonly PlannedItem[]): boolean {
  return items.filter(({ kind }) => kind === 'feedback').length === 1
}
