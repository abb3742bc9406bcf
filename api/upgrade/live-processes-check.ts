/** Which processes are connected to Postgres, and with which version they run. */
import { targetsMax } from '../cli/top/resolve-targets.ts'
import { scrape } from '../cli/top/scrape.ts'
import type { Check, DoctorContext } from '../doctor/doctor-context.ts'
import { type Finding, of } from '../doctor/finding.ts'

const processes = of('processes')

export interface LiveProcesses {
  /** Kind of process → processes that are alive; for mailer and API their connections. */
  readonly alive: Readonly<Record<string, number>>
  /** Versions that metrics name, such as `workers 0.1.0`. */
  readonly versions: readonly string[]
}

const kinds = new Set(['ingest', 'workers', 'mailer', 'api'])

export async function readLiveProcesses(ctx: DoctorContext): Promise<LiveProcesses> {
  const [alive, versions] = await Promise.all([readAlive(ctx), readVersions(ctx)])
  return { alive, versions }
}

/** Reports what is alive; a check of its own, so that a missing table stops no other. */
export function liveProcessesCheck(found: () => Promise<LiveProcesses>): Check {
  return {
    group: 'processes',
    run: async (ctx) => {
      const { state } = await ctx.postgres()
      if (state !== 'answers') return [processes.skipped('alive', 'Needs Postgres.')]
      const { alive, versions } = await found()
      return [aliveFinding(alive), ...(versions.length === 0 ? [] : [versionFinding(versions)])]
    },
  }
}

function aliveFinding(alive: LiveProcesses['alive']): Finding {
  const parts = Object.entries(alive).map(([name, count]) => `${name} ${count}`)
  if (parts.length === 0) return processes.ok('alive', 'No process is connected to Postgres.')
  return processes.ok('alive', `Alive: ${parts.join(', ')} (mailer and API: connections).`)
}

function versionFinding(versions: readonly string[]): Finding {
  return processes.ok('versions', `Versions: ${versions.join(', ')}.`)
}

async function readAlive(ctx: DoctorContext): Promise<Record<string, number>> {
  const found = await ctx.postgres()
  if (found.state !== 'answers') return {}
  const { pool } = found.store
  const { rows } = await pool.query<{ name: string; connections: number }>(
    `select substr(application_name, 8) as name, count(*)::int as connections
       from pg_stat_activity
      where datname = current_database() and application_name like 'sluice-%'
      group by 1 order by 1`,
  )
  const alive = Object.fromEntries(
    rows.filter(({ name }) => kinds.has(name)).map(({ name, connections }) => [name, connections]),
  )
  // Both tables are younger than the first versions.
  const counted = [
    ['ingest', 'ingest_boots', "settled_at is null and seen_at > now() - interval '15 seconds'"],
    ['workers', 'workers', "seen_at > now() - interval '15 seconds'"],
  ] as const
  for (const [name, table, condition] of counted) {
    const sql = `select count(*)::int as count from ${table} where ${condition}`
    const answer = await pool.query<{ count: number }>(sql).catch(() => undefined)
    const count = answer?.rows[0]?.count ?? 0
    if (count > 0) alive[name] = count
  }
  return alive
}

async function readVersions({ settings, clock }: DoctorContext): Promise<string[]> {
  const scrapes = await Promise.all(
    settings.targets
      .slice(0, targetsMax)
      .map((target) => scrape(target, () => clock.monotonicMs())),
  )
  return scrapes.flatMap(({ target, metrics }) => {
    const version = metrics?.get('sluice_build_info')?.[0]?.labels.get('version')
    return version === undefined ? [] : [`${target.name} ${version}`]
  })
}
