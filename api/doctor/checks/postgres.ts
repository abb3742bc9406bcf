/** Postgres: reachable, version, writable, durable, connections, size. */
import type { Pool } from '#platform/postgres.ts'
import { bytesText } from '../../operation/text/format-numbers.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const postgres = of('postgres')
const versionWanted = 18
/** One process of each kind: ingest 5, workers 18, mailer 8, API 11. */
const connectionsOfOneEach = 42
const usedRatioMax = 0.8

export const postgresCheck: Check = {
  group: 'postgres',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') {
      return [
        postgres.problem(
          'reachable',
          `Postgres does not answer: ${found.reason}.`,
          found.state === 'absent'
            ? 'Start Sluice (npm start), or set POSTGRES_URL or SLUICE_DATA_DIR.'
            : adviceFor(found.reason),
        ),
      ]
    }
    const { pool } = found.store
    return [
      postgres.ok('reachable', `Postgres answers in ${found.ms.toFixed(0)} ms.`),
      ...(await server(pool)),
      ...(await connections(pool)),
      ...(await size(pool)),
    ]
  },
}

function adviceFor(reason: string): string {
  if (/No space left/.test(reason)) return 'Free space on its disk; it resumes by itself.'
  return 'Start it, or correct host, port, user and password in POSTGRES_URL.'
}

interface ServerRow {
  readonly number: number
  readonly version: string
  readonly recovering: boolean
  readonly readonly: string
  readonly fsync: string
  readonly synchronous: string
  readonly pages: string
}

async function server(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<ServerRow>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       pg_is_in_recovery() as recovering, current_setting('default_transaction_read_only') as readonly,
       current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous,
       current_setting('full_page_writes') as pages`,
  )
  return rows.flatMap((row) => [versionFinding(row), writable(row), durable(row)])
}

export function versionFinding({
  number,
  version,
}: Pick<ServerRow, 'number' | 'version'>): Finding {
  const major = Math.floor(number / 10_000)
  if (major === versionWanted) return postgres.ok('version', `Postgres ${version}.`)
  if (major > versionWanted) {
    return postgres.warning(
      'version',
      `Postgres ${version} is newer than ${versionWanted}, with which Sluice is tested.`,
      `Use Postgres ${versionWanted}, or a version of Sluice that names yours.`,
    )
  }
  return postgres.problem(
    'version',
    `Postgres ${version} is older than ${versionWanted}.`,
    `Upgrade Postgres to ${versionWanted} (pg_upgrade, or a dump and a restore).`,
  )
}

function writable({ recovering, readonly }: ServerRow): Finding {
  if (!recovering && readonly === 'off') return postgres.ok('writable', 'It accepts writes.')
  return postgres.problem(
    'writable',
    recovering ? 'It is a standby and accepts no writes.' : 'Its transactions are read-only.',
    recovering
      ? 'Set POSTGRES_URL to the primary, or promote this server.'
      : 'Set default_transaction_read_only to off for this user and database.',
  )
}

export function durable({
  fsync,
  synchronous,
  pages,
}: Pick<ServerRow, 'fsync' | 'synchronous' | 'pages'>): Finding {
  const off = [
    ...(fsync === 'on' ? [] : ['fsync']),
    ...(synchronous === 'off' ? ['synchronous_commit'] : []),
    ...(pages === 'on' ? [] : ['full_page_writes']),
  ]
  if (off.length === 0) return postgres.ok('durable', 'Commits survive a crash.')
  return postgres.problem(
    'durable',
    `${off.join(' and ')} is off: a crash loses commits after ingest has deleted their frames.`,
    'Switch it on in postgresql.conf and reload.',
  )
}

async function connections(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ used: number; most: number }>(
    `select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  )
  const { used = 0, most = 0 } = rows[0] ?? {}
  const text = `${used} of ${most} connections are used`
  const advice = `Raise max_connections. One process of each kind needs up to ${connectionsOfOneEach}.`
  if (used > most * usedRatioMax) return [postgres.problem('connections', `${text}.`, advice)]
  if (most < connectionsOfOneEach) {
    return [
      postgres.warning(
        'connections',
        `${text}, and one process of each kind may need ${connectionsOfOneEach}.`,
        advice,
      ),
    ]
  }
  return [postgres.ok('connections', `${text}.`)]
}

/** The size of the write-ahead log is readable by superusers and members of pg_monitor. */
async function size(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ bytes: number }>(
    'select pg_database_size(current_database()) as bytes',
  )
  const database = bytesText(rows[0]?.bytes ?? null)
  const log = await pool
    .query<{ bytes: number }>('select coalesce(sum(size), 0)::bigint as bytes from pg_ls_waldir()')
    .then(({ rows }) => `, its write-ahead log ${bytesText(rows[0]?.bytes ?? null)}`)
    .catch(() => '')
  return [postgres.ok('size', `The database has ${database}${log}.`)]
}
