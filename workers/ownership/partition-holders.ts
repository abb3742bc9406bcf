/**
 * Reads from Postgres which worker holds which partition: locks by connection, and connections by
 * worker. A worker is silent if it has not reported for three seconds. The time is measured from
 * the last report of the reading worker, so that no worker looks dead after Postgres itself was
 * unavailable.
 */
import type pg from 'pg'
import { lockSpace } from '#platform/partition-lock.ts'

const silentSeconds = 3
/** Expected time between two reports of a worker. */
const tickSeconds = 1
/** How long to wait until a terminated connection has released its locks. */
const endMsMax = 1_000

export type Query = <Row extends pg.QueryResultRow>(
  sql: string,
  values: readonly unknown[],
) => Promise<pg.QueryResult<Row>>

export interface Holder {
  /** Undefined if a connection holds partitions and no worker has registered it. */
  readonly workerId: string | undefined
  readonly pid: number
  readonly state: 'sharing' | 'leaving' | 'silent'
  readonly partitions: readonly number[]
}

interface HolderRow {
  readonly id: string | null
  readonly pid: number
  readonly state: Holder['state']
  readonly partitions: number[]
  readonly may_judge: boolean
}

const holdersSql = `
with before as (
  select seen_at from workers where id = $1
), me as (
  insert into workers (id, seen_at, lock_backend_pid, leaving) values ($1, now(), pg_backend_pid(), $2)
  on conflict (id) do update
  set seen_at = now(), lock_backend_pid = pg_backend_pid(), leaving = $2
), gone as (
  delete from workers where seen_at < now() - interval '1 hour' and id <> $1
), moment as (
  select least(now(), min(seen_at) + make_interval(secs => ${tickSeconds})) as at,
         count(*) > 0 as may_judge
  from before
), known as (
  select id, lock_backend_pid as pid,
         case when seen_at < at - make_interval(secs => ${silentSeconds}) then 'silent'
              when leaving then 'leaving' else 'sharing' end as state
  from workers, moment where id <> $1
  union all
  select $1, pg_backend_pid(), case when $2 then 'leaving' else 'sharing' end
), held as (
  select pid, array_agg(objid::int) as partitions from pg_locks
  where locktype = 'advisory' and classid = ${lockSpace} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())
  group by pid
)
select id, pid, coalesce(state, 'silent') as state, coalesce(partitions, '{}') as partitions, may_judge
from known full join held using (pid), moment
where state <> 'silent' or partitions is not null`

/** Reports that this worker is live, and returns what all workers hold. */
export async function readHolders(
  query: Query,
  workerId: string,
  isLeaving: boolean,
): Promise<{ holders: Holder[]; mayJudge: boolean }> {
  const { rows } = await query<HolderRow>(holdersSql, [workerId, isLeaving])
  return {
    holders: rows.map(({ id, pid, state, partitions }) => ({
      pid,
      state,
      partitions,
      workerId: id ?? undefined,
    })),
    // A worker that never reported cannot tell a silent worker from a Postgres that has just
    // recovered.
    mayJudge: rows[0]?.may_judge === true,
  }
}

/**
 * Terminates the connections of silent workers, which releases their locks. Returns how many there
 * were.
 */
export async function endSilentHolders(query: Query, holders: readonly Holder[]): Promise<number> {
  const alive = new Set(holders.flatMap(({ state, pid }) => (state === 'silent' ? [] : [pid])))
  // The process id of a dead worker's connection may belong to a live worker now.
  const pids = holders.flatMap(({ pid }) => (alive.has(pid) ? [] : [pid]))
  if (pids.length === 0) return 0
  // The process ids may be outdated. A new connection with the same id is left alone.
  const { rowCount } = await query(
    `select pg_terminate_backend(pid, ${endMsMax}) from pg_stat_activity
     where pid = any($1) and backend_start < now() - make_interval(secs => ${silentSeconds})
       and exists (select from pg_locks
                   where pg_locks.pid = pg_stat_activity.pid and locktype = 'advisory' and classid = ${lockSpace})`,
    [pids],
  )
  return rowCount ?? 0
}
