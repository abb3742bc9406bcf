import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IdWindow } from './id-window.ts'

/**
 * The digested part of a partition: earlier generations completely, this one up to `committedSeq`.
 */
export interface DigestedScope {
  readonly partition: number
  readonly generation: number
  readonly committedSeq: number
  /**
   * Partitions before its first one belong to former layouts and are digested completely. Their ids
   * count as well, if this partition is theirs now. Left out: there are none.
   */
  readonly layout?: Pick<IngestLayout, 'first' | 'partitions'>
}

/** A record that arrived so late that the window no longer holds what it may repeat. */
export interface LateId {
  readonly projectId: ProjectId
  /** 32 lowercase hex digits. */
  readonly recordId: string
  readonly receivedAtMs: number
}

/** The ids of a partition's rows, as the row store keeps them: `sampled_ids` included. */
export interface KnownIds {
  /**
   * Fills a new window from the scope's rows, in any order. Only ids that the window would keep are
   * read.
   */
  read(scope: DigestedScope, window: IdWindow): Promise<void>
  /**
   * Answers for each id whether the scope's rows hold it with a time of receipt that `repeats` it.
   */
  among(scope: DigestedScope, ids: readonly LateId[]): Promise<readonly boolean[]>
}
