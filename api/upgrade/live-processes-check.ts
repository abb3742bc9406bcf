/** Which processes are connected to Postgres, and with which version they run. */

import type { Check, DoctorContext } from '../doctor/doctor-context.ts'
import { type Finding, of } from '../doctor/finding.ts'
import { targetsMax } from '../operation/processes/resolve-targets.ts'
import { scrape } from '../operation/processes/scrape.ts'

const processes = of('processes')

export interface LiveProcesses {
  /** Kind of process → number of processes that report to Postgres. */
  readonly alive: Readonly<Record<string, number>>
  /** Further kinds that are connected to Postgres. How many processes they are is not known. */
  readonly connected: readonly string[]
  /** Versions that metrics name, such as `workers 0.1.0`. */
  readonly versions: readonly string[]
}

const kinds = new Set(['ingest', 'workers', 'mailer', 'api'])

export async function readLiveProcesses(ctx: DoctorContext): Promise<LiveProcesses> {
  const [connections, alive, versions] = await Promise.all([
    readConnected(ctx),
    readAlive(ctx),
    readVersions(ctx),
  ])
  return { alive, connected: connections.filter((kind) => !(kind in alive)), versions }
}

/** Kinds of processes that run, each once. */
export function kindsOf({ alive, connected }: LiveProcesses): string[] {
  return [...Object.keys(alive), ...connected]
}

/** Reports what is alive; a check of its own, so that a missing table stops no other. */
export function liveProcessesCheck(found: () => Promise<LiveProcesses>): Check {
  return {
    group: 'processes',
    run: async (ctx) => {
      const { state } = await ctx.postgres()
      if (state !== 'answers') return [processes.skipped('alive', 'Needs Postgres.')]
      const live = await found()
      const { versions } = live
      return [aliveFinding(live), ...(versions.length === 0 ? [] : [versionFinding(versions)])]
    },
  }
}

function aliveFinding({ alive, connected }: LiveProcesses): Finding {
  const parts = [
    ...Object.entries(alive).map(([kind, count]) => `${count} × ${kind}`),
    ...connected.map((kind) => `${kind} (connected)`),
  ]
  if (parts.length === 0) return processes.ok('alive', 'No process is connected to Postgres.')
  return processes.ok('alive', `Running: ${parts.join(', ')}.`)
}

function versionFinding(versions: readonly string[]): Finding {
  return processes.ok('versions', `Versions: ${versions.join(', ')}.`)
}

async function readConnected(ctx: DoctorContext): Promise<string[]> {
  const found = await ctx.postgres()
  if (found.state !== 'answers') return []
  const { rows } = await found.store.pool.query<{ kind: string }>(
    `select distinct substr(application_name, 8) as kind from pg_stat_activity
      where datname = current_database() and application_name like 'sluice-%' order by 1`,
  )
  return rows.map(({ kind }) => kind).filter((kind) => kinds.has(kind))
}

/** Ingest and workers report every few seconds. Both tables are younger than the first versions. */
async function readAlive(ctx: DoctorContext): Promise<Record<string, number>> {
  const found = await ctx.postgres()
  if (found.state !== 'answers') return {}
  const alive: Record<string, number> = {}
  const reports = [
    ['ingest', 'ingest_boots', "settled_at is null and seen_at > now() - interval '15 seconds'"],
    ['workers', 'workers', "seen_at > now() - interval '15 seconds'"],
  ] as const
  for (const [kind, table, condition] of reports) {
    const sql = `select count(*)::int as count from ${table} where ${condition}`
    const answer = await found.store.pool.query<{ count: number }>(sql).catch(() => undefined)
    const count = answer?.rows[0]?.count ?? 0
    if (count > 0) alive[kind] = count
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
