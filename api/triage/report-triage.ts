import {
  type QueueReason,
  queueReasons,
  type TriageStats,
  triageFlowDays,
} from '#schemas/rest/triage.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { readFailingMonitors } from './failing-monitors.ts'
import { countEntered, countLeft, readAges } from './triage-stats-store.ts'

const dayMs = 86_400_000

/** Counts and ages of the triage queue of a project. */
export async function reportTriage(
  { dsnId: projectId }: StoredProject,
  ctx: ApiContext,
): Promise<TriageStats> {
  const nowMs = ctx.clock.nowMs()
  const now = new Date(nowMs)
  const since = new Date(nowMs - triageFlowDays * dayMs)
  const monitors = await readFailingMonitors(ctx.pg, { projectId, now })
  const [rows, entered, left] = await Promise.all([
    readAges(ctx.pg, {
      projectId,
      now,
      without: monitors.issueIds,
      incidents: monitors.entries.map(({ position }) => position),
    }),
    countEntered(ctx.pg, { projectId, since }),
    countLeft(ctx.pg, { projectId, since }),
  ])
  const all = rows.find(({ reason }) => reason === null)
  const countOf = (name: QueueReason) => rows.find(({ reason }) => reason === name)?.count ?? 0
  const byReason = queueReasons.map((name) => [name, countOf(name)] as const)
  return {
    count: all?.count ?? 0,
    by_reason: Object.fromEntries(byReason) as Record<QueueReason, number>,
    oldest_at: all?.oldest_at?.toISOString() ?? null,
    median_age_seconds: all?.median ?? null,
    p90_age_seconds: all?.p90 ?? null,
    last_7_days: { entered, left },
  }
}
