/** The quota of a project with its use by DSN key and by issue. */
import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Quota } from '#schemas/rest/quota.ts'
import type { ClickHouse, Database } from '../database.ts'
import { forecastUse, recentDays } from './forecast-use.ts'
import {
  findHashOwners,
  listKeyLimits,
  readQuota,
  sumByFingerprint,
  sumByKey,
} from './quota-store.ts'

const issuesShownMax = 10
const dayMs = 86_400_000

export interface QuotaStores {
  readonly pg: Database
  readonly clickhouse: ClickHouse
}

export async function reportQuota(
  project: { readonly dsnId: ProjectId; readonly shortName: string },
  nowMs: number,
  { pg, clickhouse }: QuotaStores,
): Promise<Quota> {
  const { startMs, endMs } = monthOf(nowMs)
  const projectId = project.dsnId
  const since = { projectId, sinceMs: startMs }
  const recent = { projectId, sinceMs: nowMs - recentDays * dayMs }
  const [stored, keys, usedByKey, byFingerprint, recentByKey] = await Promise.all([
    readQuota(pg, projectId, new Date(startMs).toISOString().slice(0, 10)),
    listKeyLimits(pg, projectId),
    sumByKey(clickhouse, since),
    sumByFingerprint(clickhouse, since),
    sumByKey(clickhouse, recent),
  ])
  if (stored === undefined) throw new CodedError('not_found')
  const byKey = keys.map(({ key_no, public_key, label, per_minute }) => {
    return { key: public_key, label, per_minute, used: usedByKey.get(key_no) ?? 0 }
  })
  const recentEvents = [...recentByKey.values()].reduce((total, events) => total + events, 0)
  const { used, monthly_events: limit } = stored
  return {
    ...stored,
    period_start: new Date(startMs).toISOString(),
    period_end: new Date(endMs).toISOString(),
    forecast: forecastUse({ used, limit, startMs, endMs, nowMs, recentEvents }),
    by_key: byKey.sort((a, b) => b.used - a.used),
    by_issue: await issuesOf(project, byFingerprint, pg),
  }
}

/** Quota periods are calendar months in UTC. */
export function monthOf(nowMs: number): { readonly startMs: number; readonly endMs: number } {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) }
}

async function issuesOf(
  project: { readonly dsnId: ProjectId; readonly shortName: string },
  byFingerprint: readonly { hash: string; used: number }[],
  pg: Database,
): Promise<Quota['by_issue']> {
  const hashes = byFingerprint.map(({ hash }) => hash)
  const owners = new Map(
    (await findHashOwners(pg, project.dsnId, hashes)).map((owner) => [owner.hash, owner]),
  )
  const issues = new Map<string, Quota['by_issue'][number]>()
  for (const { hash, used } of byFingerprint) {
    const owner = owners.get(hash)
    if (owner === undefined) continue
    const { id, short_no, title } = owner
    const before = issues.get(id)?.used ?? 0
    issues.set(id, { id, short_id: `${project.shortName}-${short_no}`, title, used: before + used })
  }
  return [...issues.values()].sort((a, b) => b.used - a.used).slice(0, issuesShownMax)
}
