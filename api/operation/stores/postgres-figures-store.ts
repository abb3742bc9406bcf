/** How busy Postgres is. Columns of other users are empty without the role pg_monitor. */
import type { Operation } from '#schemas/rest/operation/operation.ts'
import type { Database } from '../../database.ts'

export type PostgresFigures = Omit<Extract<Operation['postgres'], { state: 'answers' }>, 'state'>

/** Applications that are listed; Sluice has fewer than ten. */
const applicationsMax = 20

interface Row {
  readonly version: string
  readonly size_bytes: number
  readonly connection_limit: number
  readonly cache_hit_ratio: number | null
}
interface SessionRow {
  readonly application: string
  readonly state: string
  readonly seconds: number | null
  readonly waits: boolean
}

export async function readPostgresFigures(pg: Database): Promise<PostgresFigures> {
  const [server, sessions] = await Promise.all([
    pg.query<Row>(
      `select current_setting('server_version') as version,
         pg_database_size(current_database()) as size_bytes,
         current_setting('max_connections')::int as connection_limit,
         (select (blks_hit / nullif(blks_hit + blks_read, 0)::float8)
            from pg_stat_database where datname = current_database()) as cache_hit_ratio`,
    ),
    pg.query<SessionRow>(
      `select coalesce(application_name, '') as application, coalesce(state, '') as state,
         extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
         coalesce(wait_event_type = 'Lock', false) as waits
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    ),
  ])
  const { version, size_bytes, connection_limit, cache_hit_ratio } = server.rows[0]!
  return {
    version,
    size_bytes,
    cache_hit_ratio,
    connections: {
      // This query has a connection as well.
      used: sessions.rows.length + 1,
      limit: connection_limit,
      by_application: byApplication(sessions.rows),
    },
    oldest_transaction: oldestOf(sessions.rows),
    waiting_for_locks: sessions.rows.filter(({ waits }) => waits).length,
  }
}

function byApplication(sessions: readonly SessionRow[]) {
  const counts = new Map<string, number>()
  for (const { application } of sessions) {
    counts.set(application, (counts.get(application) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, applicationsMax)
}

function oldestOf(sessions: readonly SessionRow[]): PostgresFigures['oldest_transaction'] {
  const [oldest] = sessions.toSorted((one, other) => (other.seconds ?? -1) - (one.seconds ?? -1))
  if (oldest === undefined || oldest.seconds === null) return null
  const { application, state, seconds } = oldest
  return { application, state, seconds: Math.max(0, seconds) }
}
