/**
 * Shares the partitions among the live workers as evenly as their numbers allow, so that no worker
 * is idle while another one holds two more. Every worker decides for itself from what it sees all
 * of them hold; the caller takes and releases locks.
 */
import { type IngestLayout, partitionsOf } from '#schemas/bus/layout.ts'

export interface WorkerShare {
  readonly id: string
  readonly owned: readonly number[]
}

export interface ShareState {
  /** The partitions to share. */
  readonly layout: Pick<IngestLayout, 'first' | 'partitions'>
  readonly self: string
  /** All live workers including this one, as they are seen now. */
  readonly workers: readonly WorkerShare[]
}

export interface ShareMove {
  /** Partitions to claim, in this order, until `claimsMax` claims have succeeded. */
  readonly claim: readonly number[]
  readonly claimsMax: number
  readonly release: readonly number[]
}

export function planShare(state: ShareState): ShareMove {
  const ranked = byLoad(state.workers)
  const rank = ranked.findIndex(({ id }) => id === state.self)
  const owned = ranked[rank]?.owned ?? []
  const share = shareOfRank(rank, state.layout.partitions, ranked.length)
  const free = freePartitions(state)
  // Workers that plan at the same moment begin with different partitions.
  const first = free.length === 0 ? 0 : rank % free.length
  return {
    claim: [...free.slice(first), ...free.slice(0, first)],
    claimsMax: Math.max(0, share - owned.length),
    // Some worker has room for each of them, because the shares add up to all partitions.
    release: [...owned].sort((a, b) => a - b).slice(share),
  }
}

/**
 * Workers that hold most get the larger shares, so that an even distribution does not change.
 * Between equal workers the lower id wins, which every worker computes alike.
 */
function byLoad(workers: readonly WorkerShare[]): readonly WorkerShare[] {
  return [...workers].sort((a, b) => b.owned.length - a.owned.length || (a.id < b.id ? -1 : 1))
}

function shareOfRank(rank: number, partitionCount: number, workerCount: number): number {
  const smaller = Math.floor(partitionCount / workerCount)
  return rank < partitionCount % workerCount ? smaller + 1 : smaller
}

function freePartitions({ layout, workers }: ShareState): number[] {
  const taken = new Set(workers.flatMap(({ owned }) => owned))
  return partitionsOf(layout).filter((partition) => !taken.has(partition))
}
