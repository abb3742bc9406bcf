/** Where the loop of an owned partition is, for metrics. */
export interface PartitionPosition {
  /** Seconds since the last commit of this owner, or since it took the partition over. */
  readonly secondsSinceCommit: number
  /** Average of recent ranges; 1 before the first. */
  readonly eventsPerMessage: number
  /** Undefined until the partition was taken over. */
  readonly progress: PartitionProgress | undefined
}

export interface PartitionProgress {
  readonly committedSeq: number
  /**
   * When the broker stored the oldest message that was read and not committed, by its clock;
   * undefined if none was read.
   */
  readonly oldestStoredAtMs: number | undefined
  /** Messages not committed, as far as the reader knows. */
  readonly messagesWaiting: number
}
