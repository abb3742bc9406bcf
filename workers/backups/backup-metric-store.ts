/** Reports when the last backup was complete, for an alert on backups that no longer run. */
import type { PlainGauge } from '#platform/metrics/metric-types.ts'
import type { Pool } from '#platform/postgres.ts'

export async function observeBackups(
  pg: Pool,
  { gauge, isOwner }: { readonly gauge: PlainGauge; readonly isOwner: () => boolean },
): Promise<void> {
  // Other processes report 0: an old value of theirs would mislead.
  if (!isOwner()) return gauge.reset()
  const { rows } = await pg.query<{ at: number }>(
    `select coalesce(extract(epoch from max(finished_at)), 0)::float8 as at
     from backups where state = 'complete'`,
  )
  gauge.set(rows[0]?.at ?? 0)
}
