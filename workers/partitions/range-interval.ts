const perSecondMax = 4
const intervalMsMin = 1_000
/** Nobody waits longer for what is there, however many partitions one process has. */
const intervalMsMax = 5_000

/**
 * The least time between two ranges of a partition while events keep coming. Every insert makes a
 * part in ClickHouse, which costs as much as a thousand rows, so a partition has at the most one
 * range a second, and a process four a second over all that it owns. One that was idle has its
 * range at once: a person sees an error the moment it happens.
 */
export function rangeIntervalMs(ownedCount: number): number {
  return Math.min(intervalMsMax, Math.max(intervalMsMin, (ownedCount * 1_000) / perSecondMax))
}
