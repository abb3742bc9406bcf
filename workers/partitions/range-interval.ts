const perSecondMax = 4
const intervalMsMin = 1_000
/** Longest interval, for any number of owned partitions. */
const intervalMsMax = 5_000

/**
 * Returns the least time between the starts of two ranges of a partition, in milliseconds. Every
 * insert creates a part in ClickHouse, which costs as much as a thousand rows, so a partition
 * digests at most one range per second, and a process four per second over all its partitions. An
 * idle partition digests a new event at once, so that a person sees an error immediately.
 */
export function rangeIntervalMs(ownedCount: number): number {
  return Math.min(intervalMsMax, Math.max(intervalMsMin, (ownedCount * 1_000) / perSecondMax))
}
