/**
 * How the partitions are shared among the workers that live: as evenly as their numbers allow, so that nobody idles while
 * another one holds two more. Every worker decides for itself, from what it sees all of them hold; locks
 * are taken and given back by the caller.
 */
export interface WorkerShare {
  readonly id: string
  readonly owned: readonly number[]
}

export interface ShareState {
  readonly partitionCount: number
  readonly self: string
  /** All that live, this one among them, as they are seen now. */
  readonly workers: readonly WorkerShare[]
}

export interface ShareMove {
  /** To be tried in this order, until `claimsMax` of them are ours. */
  readonly claim: readonly number[]
  readonly claimsMax: number
  readonly release: readonly number[]
}

export function planShare(state: ShareState): ShareMove {
  const ranked = byLoad(state.workers)
  const rank = ranked.findIndex(({ id }) => id === state.self)
  const owned = ranked[rank]?.owned ?? []
  const share = shareOfRank(rank, state.partitionCount, ranked.length)
  const free = freePartitions(state)
  // Workers that look at the same moment begin at different ones.
  const first = free.length === 0 ? 0 : rank % free.length
  return {
    claim: [...free.slice(first), ...free.slice(0, first)],
    claimsMax: Math.max(0, share - owned.length),
    // Somebody has room for every one of them, because the shares add up to all partitions.
    release: [...owned].sort((a, b) => a - b).slice(share),
  }
}

/**
 * Whoever holds most gets the larger shares, so that what is even already stays where it is. Of two that hold the same
 * the one with the lower id, which every worker sees alike.
 */
function byLoad(workers: readonly WorkerShare[]): readonly WorkerShare[] {
  return [...workers].sort((a, b) => b.owned.length - a.owned.length || (a.id < b.id ? -1 : 1))
}

function shareOfRank(rank: number, partitionCount: number, workerCount: number): number {
  const smaller = Math.floor(partitionCount / workerCount)
  return rank < partitionCount % workerCount ? smaller + 1 : smaller
}

function freePartitions({ partitionCount, workers }: ShareState): number[] {
  const taken = new Set(workers.flatMap(({ owned }) => owned))
  return Array.from({ length: partitionCount }, (_, partition) => partition).filter(
    (partition) => !taken.has(partition),
  )
}
