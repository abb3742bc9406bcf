/**
 * Attempts with delays that grow with the number of attempts. The SQL functions are in 0022-token-
 * purposes.sql.
 */
import type { Database } from '../database.ts'

export interface DelayedBucket {
  readonly bucket: string
  /** Attempts before the first delay. */
  readonly free: number
  readonly firstMs: number
  readonly longestMs: number
  /** Counts an attempt only if the first bucket is empty. */
  readonly withFirst?: boolean
}

export type DelayedHits =
  | { readonly kind: 'counted'; readonly counted: readonly string[] }
  | { readonly kind: 'wait'; readonly until: Date }

/** Counts one attempt in each bucket, or in none. `buckets` must be sorted by name. */
export async function takeDelayedHits(
  pg: Database,
  buckets: readonly DelayedBucket[],
  { now, windowMs }: { now: Date; windowMs: number },
): Promise<DelayedHits> {
  const { rows } = await pg.query<{ bucket: string; waits_until: Date | null; counted: boolean }>(
    `select * from take_delayed_hits($1::text[], $2::int[], $3::boolean[],
       array(select make_interval(secs => ms / 1000.0) from unnest($4::bigint[]) with ordinality l(ms, no) order by no),
       array(select make_interval(secs => ms / 1000.0) from unnest($5::bigint[]) with ordinality l(ms, no) order by no),
       make_interval(secs => $6::bigint / 1000.0), $7)`,
    [
      buckets.map(({ bucket }) => bucket),
      buckets.map(({ free }) => free),
      buckets.map(({ withFirst }) => withFirst === true),
      buckets.map(({ firstMs }) => firstMs),
      buckets.map(({ longestMs }) => longestMs),
      windowMs,
      now,
    ],
  )
  const waits = rows.flatMap(({ waits_until }) => waits_until?.getTime() ?? [])
  if (0 < waits.length) return { kind: 'wait', until: new Date(Math.max(...waits)) }
  return { kind: 'counted', counted: rows.filter((row) => row.counted).map((row) => row.bucket) }
}

/** Deletes all attempts of the bucket `cleared`, and one attempt of each bucket in `reduced`. */
export async function undoDelayedHits(
  pg: Database,
  { cleared, reduced }: { cleared: string; reduced: readonly string[] },
): Promise<void> {
  await pg.query('delete from rate_windows where bucket = $1', [cleared])
  if (reduced.length === 0) return
  await pg.query(
    'update rate_windows set hits = trim_array(hits, 1) where bucket = any($1) and cardinality(hits) > 0',
    [reduced],
  )
}
