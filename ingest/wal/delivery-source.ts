/** What ingest can learn of the fate of its frames: what workers have committed, and what the broker still has. */
export interface DeliverySource {
  /** All of it as of one moment that is not before the call. Throws when it cannot be known now. */
  read(instanceIds: readonly string[]): Promise<DeliveryState>
  /** By partition, the sequence of the last frame on the bus; 0 when there is none, as when all of it was purged. */
  lastSeqs(): Promise<ReadonlyMap<number, number>>
  /** Nothing of this boot can come any more: its leases are settled with it. May be repeated. */
  settleInstance(instanceId: string): Promise<void>
}

export interface DeliveryState {
  /** Frames that workers have committed: all counters below `contiguous`, and those in `ahead`. */
  readonly digested: readonly DigestedFrames[]
  /** By partition, the sequence up to which it is committed. */
  readonly committedSeqs: ReadonlyMap<number, number>
}

export interface DigestedFrames {
  readonly instanceId: string
  readonly partition: number
  readonly contiguous: number
  /** `[from, to)` pairs, flattened and ascending. */
  readonly ahead: readonly number[]
}
