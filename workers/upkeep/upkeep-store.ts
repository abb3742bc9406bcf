/** Queries of Postgres for metrics about the installation. Each is bounded in large tables. */
import type { Pool } from '#platform/postgres.ts'

/** Projects whose use of the quota is reported. */
const projectsMax = 10
/** Jobs that are looked at. */
const jobsMax = 50_000

export interface QuotaUse {
  readonly project: string
  readonly ratio: number
}

/**
 * The projects nearest to their monthly quota. Reads one row for each project with events in the
 * month.
 *
 * @param period first day of the month
 */
export async function nearestToQuota(pg: Pool, period: string): Promise<QuotaUse[]> {
  const { rows } = await pg.query<QuotaUse>(
    `select p.id as project, u.used / p.monthly_events::float8 as ratio
       from quota_usage u join projects p on p.dsn_id = u.project_id
      where u.period = $1 and p.monthly_events > 0
      order by ratio desc limit $2`,
    [period, projectsMax],
  )
  return rows
}

export interface TaskJobs {
  readonly task: string
  readonly waiting: number
  readonly failed: number
}

/** Jobs of each task that are due and not running, and that failed on every attempt. */
export async function countJobs(pg: Pool): Promise<TaskJobs[]> {
  const { rows } = await pg.query<TaskJobs>(
    `select t.identifier as task,
       count(*) filter (where j.attempts < j.max_attempts and j.locked_at is null and j.run_at <= now()) as waiting,
       count(*) filter (where j.attempts >= j.max_attempts and j.locked_at is null) as failed
     from graphile_worker._private_tasks t left join (
       select task_id, attempts, max_attempts, locked_at, run_at from graphile_worker._private_jobs limit $1
     ) j on j.task_id = t.id
     group by t.identifier`,
    [jobsMax],
  )
  return rows
}
