/**
 * What a worker stores in ClickHouse about a range before it inserts the range's rows (table
 * `ranges`). Event rows and outcomes cannot reproduce it, so `admin reconcile` needs it when an
 * older Postgres was restored. It holds numbers, ids and names of releases, environments and SDKs,
 * and no text of events or people.
 */
import { z } from 'zod'

const Count = z.number().int()
const ProjectNumber = z.number().int().positive()

const FrameNote = z.object({
  /** 32 lowercase hex digits. */
  instanceId: z.string().regex(/^[0-9a-f]{32}$/),
  contiguous: Count,
  /** Pairs [from, to), flattened and ascending. */
  ahead: z.array(Count),
})

const SessionSumNote = z.object({
  projectId: ProjectNumber,
  release: z.string(),
  environment: z.string(),
  hourSecond: Count,
  exited: Count,
  errored: Count,
  unhandled: Count,
  abnormal: Count,
  crashed: Count,
})

const SessionReleaseNote = z.object({
  projectId: ProjectNumber,
  version: z.string(),
  firstSecond: Count,
  lastSecond: Count,
})

const ItemIdNote = z.object({
  projectId: ProjectNumber,
  /** 32 lowercase hex digits. */
  recordId: z.string().regex(/^[0-9a-f]{32}$/),
  receivedAtMs: Count,
})

export const RangeNote = z.object({
  version: z.literal(1),
  /** Epoch of the owner that wrote the note. */
  epoch: Count,
  /** Creation time of the stream, as the broker reports it. */
  incarnation: z.string(),
  /** Number of messages of the partition in the range. */
  messageCount: Count,
  /** The value of `partition_cursors.planned_settings` for this range. */
  settings: z.looseObject({
    rowsHash: z.string(),
    /** SDKs of `outcomeRows`, one for each row (outcome-rows.ts). */
    outcomeSdks: z.array(z.string()).optional(),
  }),
  /** RowBinary in base64, as in `partition_cursors.planned_outcomes`. */
  outcomeRows: z.base64(),
  /** Progress of the ingest instances that had frames in the range, after its commit. */
  frames: z.array(FrameNote),
  sessionSums: z.array(SessionSumNote),
  sessionReleases: z.array(SessionReleaseNote),
  itemIds: z.array(ItemIdNote),
  /** Rows of `outbox_events` that the commit deletes. */
  ownEventIds: z.array(z.string()),
  /** Rows of `dead_letters` that the commit deletes. */
  retriedDeadLetterIds: z.array(Count),
})
export type RangeNote = z.infer<typeof RangeNote>

/** The position of a range. */
export interface RangePlace {
  readonly partition: number
  readonly generation: number
  readonly committedSeq: number
  readonly plannedSeq: number
}
