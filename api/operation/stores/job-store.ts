/** The job queue for operators: figures, jobs that failed, and another attempt. */
import type { JobItem, JobQuery, JobSelection } from '#schemas/rest/operation/operation-changes.ts'
import type { Database } from '../../database.ts'
import { hasJobs } from '../../jobs/has-jobs.ts'

export interface TaskFigures {
  readonly task: string
  readonly waiting: number
  readonly running: number
  readonly scheduled: number
  readonly failed: number
}

export interface JobFigures {
  readonly tasks: TaskFigures[]
  readonly oldest_seconds: number | null
}

/** Jobs that are counted. */
const countedMax = 50_000
const errorCharactersMax = 4_000

const isFailed = 'j.attempts >= j.max_attempts and j.locked_at is null'
const isRetrying =
  'j.attempts < j.max_attempts and j.locked_at is null and j.last_error is not null'
const isDue = 'j.attempts < j.max_attempts and j.locked_at is null and j.run_at <= now()'

export async function readJobFigures(pg: Database): Promise<JobFigures> {
  if (!(await hasJobs(pg))) return { tasks: [], oldest_seconds: null }
  const { rows } = await pg.query<TaskFigures & { oldest: number | null }>(
    `select t.identifier as task,
       count(*) filter (where ${isDue}) as waiting,
       count(*) filter (where j.locked_at is not null) as running,
       count(*) filter (where j.attempts < j.max_attempts and j.locked_at is null and j.run_at > now()) as scheduled,
       count(*) filter (where ${isFailed}) as failed,
       extract(epoch from now() - min(j.run_at) filter (where ${isDue}))::float8 as oldest
     from (
       select task_id, attempts, max_attempts, locked_at, run_at from graphile_worker._private_jobs limit $1
     ) j join graphile_worker._private_tasks t on t.id = j.task_id
     group by t.identifier order by t.identifier`,
    [countedMax],
  )
  const ages = rows.flatMap(({ oldest }) => (oldest === null ? [] : [oldest]))
  return {
    tasks: rows.map(({ oldest: _oldest, ...figures }) => figures),
    oldest_seconds: ages.length === 0 ? null : Math.max(...ages),
  }
}

export interface StoredJob
  extends Omit<JobItem, 'state' | 'created_at' | 'failed_at' | 'next_attempt_at'> {
  readonly created_at: Date
  readonly updated_at: Date
  readonly run_at: Date
}

/** Newest first. */
export async function listJobs(
  pg: Database,
  list: {
    readonly state: JobQuery['state']
    readonly task: string | undefined
    readonly beforeId: string | undefined
    readonly limit: number
  },
): Promise<StoredJob[]> {
  if (!(await hasJobs(pg))) return []
  const { rows } = await pg.query<StoredJob>(
    `select j.id::text as id, t.identifier as task, j.attempts, j.max_attempts,
       left(j.last_error, ${errorCharactersMax}) as error, j.created_at, j.updated_at, j.run_at
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where ${list.state === 'failed' ? isFailed : isRetrying}
       and ($1::text is null or t.identifier = $1) and ($2::bigint is null or j.id < $2)
     order by j.id desc limit $3`,
    [list.task ?? null, list.beforeId ?? null, list.limit],
  )
  return rows
}

/**
 * Gives jobs all their attempts again, the oldest first. Those with an id may also wait for another
 * attempt; a running job is left alone.
 */
export async function rescheduleJobs(
  pg: Database,
  selection: JobSelection,
  limit: number,
): Promise<{ readonly ids: string[]; readonly left: number }> {
  if (!(await hasJobs(pg))) return { ids: [], left: 0 }
  const { ids, task } = selection
  const values = [ids ?? null, task ?? null]
  const condition = `($1::bigint[] is null or j.id = any($1)) and ($2::text is null or t.identifier = $2)
    and (${ids === undefined ? isFailed : `(${isFailed}) or (${isRetrying})`})`
  const { rows } = await pg.query<{ id: string }>(
    `with chosen as (
       select j.id from graphile_worker._private_jobs j
         join graphile_worker._private_tasks t on t.id = j.task_id
       where ${condition} order by j.id limit $3 for update of j skip locked
     )
     select again.id::text as id from graphile_worker.reschedule_jobs(
       array(select id from chosen), run_at := now(), attempts := 0) again`,
    [...values, limit],
  )
  const left = await pg.query<{ count: number }>(
    `select count(*) as count from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id
     where ${condition} and ${isFailed}`,
    values,
  )
  return { ids: rows.map(({ id }) => id), left: left.rows[0]?.count ?? 0 }
}
