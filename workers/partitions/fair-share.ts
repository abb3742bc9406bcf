/**
 * How many partitions a worker process should own: its fair share, rounded up so that none is left over.
 * Decides only; locks are taken and given back by the caller.
 */
export type ShareMove =
  | { readonly kind: 'claim'; readonly partitions: readonly number[] }
  | { readonly kind: 'release'; readonly partition: number }
  | { readonly kind: 'stay' }

export interface ShareState {
  readonly partitionCount: number
  readonly liveWorkers: number
  readonly owned: readonly number[]
}

/** Partitions of one worker, at most. */
export function fairShare({ partitionCount, liveWorkers }: Omit<ShareState, 'owned'>): number {
  return Math.ceil(partitionCount / Math.max(1, liveWorkers))
}

export function planShare({ partitionCount, liveWorkers, owned }: ShareState): ShareMove {
  const share = fairShare({ partitionCount, liveWorkers })
  if (owned.length < share) {
    const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
    return { kind: 'claim', partitions: partitions.filter((one) => !owned.includes(one)) }
  }
  // One at a time: the others may be about to claim, and a partition without an owner stands still.
  const surplus = owned.length > share ? owned.at(-1) : undefined
  return surplus === undefined ? { kind: 'stay' } : { kind: 'release', partition: surplus }
}
