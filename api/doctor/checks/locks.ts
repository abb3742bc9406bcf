/** Sessions of Postgres that make others wait, such as a forgotten transaction of a person. */
import { countText, durationText } from '../../operation/text/format-numbers.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const locks = of('locks')
/** A commit or a migration may hold others up for a moment. */
const waitSecondsMin = 10
const sessionsMax = 3

interface Blocker {
  readonly pid: number
  readonly name: string
  readonly state: string | null
  readonly blocked: number
  readonly longest: number
}

export const locksCheck: Check = {
  group: 'locks',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [locks.skipped('sessions', 'Needs Postgres.')]
    // Sessions that wait themselves are not the cause.
    const { rows } = await found.store.pool.query<Blocker>(
      `select blocker.pid, blocker.application_name as name, blocker.state,
         count(*)::int as blocked,
         max(extract(epoch from clock_timestamp() - waiting.query_start))::float8 as longest
       from pg_stat_activity as waiting, unnest(pg_blocking_pids(waiting.pid)) as by(pid)
       join pg_stat_activity as blocker on blocker.pid = by.pid
       where waiting.datname = current_database() and waiting.wait_event_type = 'Lock'
         and waiting.query_start < clock_timestamp() - interval '${waitSecondsMin} seconds'
         and blocker.wait_event_type is distinct from 'Lock'
       group by blocker.pid, blocker.application_name, blocker.state
       order by longest desc limit ${sessionsMax}`,
    )
    if (rows.length > 0) return rows.map(blockerFinding)
    return [locks.ok('sessions', `No session waits for a lock for ${waitSecondsMin} s.`)]
  },
}

function blockerFinding({ pid, name, state, blocked, longest }: Blocker): Finding {
  const waiting = `${countText(blocked)} ${blocked === 1 ? 'query waits' : 'queries wait'}`
  return locks.problem(
    `session_${pid}`,
    `${waiting}, for up to ${durationText(longest)}, for a lock of session ${pid} (${name || 'no name'}, ${state ?? 'state unknown'}).`,
    `Let it commit or roll back. Otherwise end it in Postgres: select pg_terminate_backend(${pid});`,
  )
}
