/**
 * Reads the state of published frames: which ones workers have committed, and which ones the broker
 * still has.
 */
export interface DeliverySource {
  /** A consistent state that is not older than the call. Rejects when it cannot be read. */
  read(instanceIds: readonly string[]): Promise<DeliveryState>
  /**
   * Sequence of the last frame on the bus by partition; 0 when there is none, also when all were
   * purged.
   */
  lastSeqs(): Promise<ReadonlyMap<number, number>>
  /** Settles the leases of an instance whose frames are all committed. Idempotent. */
  settleInstance(instanceId: string): Promise<void>
  /**
   * Reports the age of the oldest frame that the log of the running instance still holds; undefined
   * when it holds none.
   */
  reportLog(instanceId: string, oldestFrameMs: number | undefined): Promise<void>
}

export interface DeliveryState {
  /** Frames that workers have committed: all counters below `contiguous`, and those in `ahead`. */
  readonly digested: readonly DigestedFrames[]
  /** Committed sequence by partition. */
  readonly committedSeqs: ReadonlyMap<number, number>
}

export interface DigestedFrames {
  readonly instanceId: string
  readonly partition: number
  readonly contiguous: number
  /** `[from, to)` pairs, flattened and ascending. */
  readonly ahead: readonly number[]
}
