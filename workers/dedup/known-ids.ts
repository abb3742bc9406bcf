import type { ProjectId } from '#schemas/ids.ts'
import type { IdWindow } from './id-window.ts'

/** What of a partition counts as digested: earlier generations whole, this one up to `committedSeq`. */
export interface DigestedScope {
  readonly partition: number
  readonly generation: number
  readonly committedSeq: number
}

/** A record that came so long after it was received that the window no longer holds what it may repeat. */
export interface LateId {
  readonly projectId: ProjectId
  /** 32 lowercase hex digits. */
  readonly recordId: string
  readonly receivedAtMs: number
}

/** The ids of a partition's rows, as the row store keeps them: `sampled_ids` included. */
export interface KnownIds {
  /** Fills a new window with what the scope's rows say; in any order, only what the window would keep is read. */
  read(scope: DigestedScope, window: IdWindow): Promise<void>
  /** For each id whether the scope's rows hold it with a time of receipt that `repeats` it. */
  among(scope: DigestedScope, ids: readonly LateId[]): Promise<readonly boolean[]>
}
