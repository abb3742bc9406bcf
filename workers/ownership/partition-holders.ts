/**
 * Which worker holds which partition, as Postgres knows it: locks by connection, and connections by worker. A worker is
 * silent when it has not said for three seconds that it lives. That is measured from the moment the
 * asker itself was last heard, so that a Postgres that stood still makes nobody look dead.
 */
import type pg from 'pg'

/** First half of the advisory lock's key: ours, whatever else locks in this database. */
export const lockSpace = 7_391_047
const silentSeconds = 3
/** Between two calls of one worker, about. */
const tickSeconds = 1
/** For the ended connection to let go of its locks. */
const endMsMax = 1_000

export type Query = <Row extends pg.QueryResultRow>(
  sql: string,
  values: readonly unknown[],
) => Promise<pg.QueryResult<Row>>

export interface Holder {
  /** Undefined when a connection holds partitions and no worker says that it is its own. */
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

/** Says that this worker lives, and returns what all of them hold. */
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
    // One who was never heard before cannot tell a silent worker from a Postgres that has just come back.
    mayJudge: rows[0]?.may_judge === true,
  }
}

/** Ends the connections of those who stand still, and with them their locks. Returns how many there were. */
export async function endSilentHolders(query: Query, holders: readonly Holder[]): Promise<number> {
  const alive = new Set(holders.flatMap(({ state, pid }) => (state === 'silent' ? [] : [pid])))
  // A worker that died an hour ago may have left the number of somebody who lives.
  const pids = holders.flatMap(({ pid }) => (alive.has(pid) ? [] : [pid]))
  if (pids.length === 0) return 0
  // The numbers are those of a moment ago: by now one may belong to a new connection, which is left alone.
  const { rowCount } = await query(
    `select pg_terminate_backend(pid, ${endMsMax}) from pg_stat_activity
     where pid = any($1) and backend_start < now() - make_interval(secs => ${silentSeconds})
       and exists (select from pg_locks
                   where pg_locks.pid = pg_stat_activity.pid and locktype = 'advisory' and classid = ${lockSpace})`,
    [pids],
  )
  return rowCount ?? 0
}
