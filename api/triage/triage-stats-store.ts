/** How many entries the triage queue has, how old they are, and how many came and went. */
import type { ProjectId } from '#schemas/ids.ts'
import type { QueueReason } from '#schemas/rest/triage.ts'
import type { Database } from '../database.ts'
import { inTriage } from '../search/issue-columns.ts'

export interface StoredAges {
  readonly reason: QueueReason | null
  readonly count: number
  readonly oldest_at: Date | null
  readonly median: number | null
  readonly p90: number | null
}

/** One row for each reason, and one for all with the reason null. */
export async function readAges(
  pg: Database,
  lookup: {
    readonly projectId: ProjectId
    readonly now: Date
    /** Issues that count with their monitors. */
    readonly without: readonly string[]
    /** Times at which the incidents of monitors opened. */
    readonly incidents: readonly string[]
  },
): Promise<StoredAges[]> {
  const { rows } = await pg.query<StoredAges>(
    `with queue as (
       select i.triage_reason as reason, i.triage_at as at from issues i
       where i.project_id = $1 and ${inTriage('$2')} and i.id <> all($3::uuid[])
       union all select 'monitor_failed', unnest($4::timestamptz[])
     ), aged as (
       select reason, at, greatest(0, extract(epoch from $2 - at))::float8 as age from queue
     )
     select reason, count(*)::int as count, min(at) as oldest_at,
       round(percentile_cont(0.5) within group (order by age))::float8 as median,
       round(percentile_cont(0.9) within group (order by age))::float8 as p90
     from aged group by grouping sets ((reason), ())`,
    [lookup.projectId, lookup.now, lookup.without, lookup.incidents],
  )
  return rows
}

/**
 * Counts only issues with an event since then, because every entrance needs one. Numbers are given
 * in the order of creation, so issues from before an earlier one are not read.
 */
export async function countEntered(
  pg: Database,
  { projectId, since }: { projectId: ProjectId; since: Date },
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select (
       (select count(*) from issues
        where project_id = $1 and last_seen >= $2 and created_at >= $2 and short_no > coalesce((
          select short_no from issues where project_id = $1 and created_at < $2 - interval '1 hour'
          order by short_no desc limit 1), 0))
       + (select count(*) from issue_activity join issues on issues.id = issue_id
          where at >= $2 and kind in ('regressed', 'escalating', 'returned')
            and project_id = $1 and last_seen >= $2)
     )::int as count`,
    [projectId, since],
  )
  return rows[0]?.count ?? 0
}

export async function countLeft(
  pg: Database,
  { projectId, since }: { projectId: ProjectId; since: Date },
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    'select count(*)::int as count from issues where project_id = $1 and triage_left_at >= $2',
    [projectId, since],
  )
  return rows[0]?.count ?? 0
}
