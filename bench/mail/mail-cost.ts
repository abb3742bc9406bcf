/**
 * What emails cost: CPU time of the mailer and of all processes of Postgres, WAL records, and
 * updated rows. Linux only.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Pool } from '#platform/postgres.ts'

export interface MailCost {
  /** CPU seconds. */
  readonly mailer: number
  readonly postgres: number
  readonly walRecords: number
  readonly rowUpdates: number
}

/** Of `/proc/<pid>/stat`, Linux reports times in hundredths of a second to every program. */
const ticksPerSecond = 100

export async function readCost(pg: Pool, mailerPid: number): Promise<MailCost> {
  const { rows } = await pg.query<{ pid: number; wal: number; updates: number }>(
    `select pg_backend_pid() as pid, (select wal_records from pg_stat_wal)::float8 as wal,
       (select sum(n_tup_upd) from pg_stat_user_tables)::float8 as updates`,
  )
  const { pid, wal, updates } = rows[0]!
  const mailer = await readProcess(mailerPid)
  const backend = await readProcess(pid)
  const postgres = backend === undefined ? 0 : await serverSeconds(backend.parent)
  return { mailer: mailer?.own ?? 0, postgres, walRecords: wal, rowUpdates: updates }
}

/** The postmaster, its children, and those that have ended. */
async function serverSeconds(postmaster: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const processes = await Promise.all(pids.map(readProcess))
  const server = await readProcess(postmaster)
  const children = processes.filter((one) => one?.parent === postmaster)
  return children.reduce(
    (sum, one) => sum + (one?.own ?? 0),
    (server?.own ?? 0) + (server?.ended ?? 0),
  )
}

async function readProcess(
  pid: number,
): Promise<{ parent: number; own: number; ended: number } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const seconds = (at: number) => (fields[at] ?? 0) / ticksPerSecond
  return {
    parent: fields[1] ?? 0,
    own: seconds(11) + seconds(12),
    ended: seconds(13) + seconds(14),
  }
}
