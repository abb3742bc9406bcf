/** Deduplication tokens of inserts into ClickHouse. */
import type { RangePlace } from '#schemas/range-note.ts'

/** Token of a range and table: the same in every attempt of every owner. */
export function rangeToken(
  cursor: RangePlace,
  table: 'events' | 'sessions' | 'outcomes' | 'note' | 'undone',
): string {
  // mutant: range-token
  const { partition, generation, committedSeq, plannedSeq } = cursor
  return `p${partition}:${generation}:${committedSeq}-${plannedSeq}:${table}`
}

export function tokenSettings(token: string) {
  return {
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    // New servers enable asynchronous inserts by default, which would not recognise a retried
    // batch.
    async_insert: 0,
  } as const
}
