/** The report of what a reconciliation did, or would do. */

import { countIssuesWithoutRows, type ProjectSums } from './project-sums-store.ts'
import type { ReconcileContext } from './reconcile-context.ts'
import type { ReconciledPartition } from './reconcile-partition.ts'
import type { ProjectReport, ReconcileReport } from './reconcile-report.ts'
import type { SettledRows } from './settle-found-rows-store.ts'

export interface ReconcileRun {
  readonly parts: readonly ReconciledPartition[]
  readonly before: ReadonlyMap<number, ProjectSums>
  readonly after: ReadonlyMap<number, ProjectSums>
  readonly leasesSettled: number
  /** What the full comparison found. */
  readonly missing?: SettledRows | undefined
}

export async function describeRun(
  ctx: ReconcileContext,
  { dryRun, projectId }: { readonly dryRun: boolean; readonly projectId?: number | undefined },
  { parts, before, after, leasesSettled, missing }: ReconcileRun,
): Promise<ReconcileReport> {
  const projects: ProjectReport[] = []
  for (const [dsnId, now] of after) {
    const then = before.get(dsnId) ?? { ...now, events: 0, issues: 0, releases: 0, quota: 0 }
    const isTouched =
      [...parts, ...(missing === undefined ? [] : [missing])].some(({ dsnIds }) =>
        dsnIds.includes(dsnId),
      ) || then.quota !== now.quota
    if (!isTouched || (projectId !== undefined && projectId !== dsnId)) continue
    projects.push({
      dsn_id: dsnId,
      name: now.name,
      events_before: then.events,
      events_after: now.events,
      issues_before: then.issues,
      issues_after: now.issues,
      releases_before: then.releases,
      releases_after: now.releases,
      quota_before: then.quota,
      quota_after: now.quota,
      issues_without_rows: await countIssuesWithoutRows(ctx.pg, ctx.clickhouse, dsnId),
    })
  }
  return {
    dry_run: dryRun,
    partitions: parts.map(({ report }) => report),
    projects,
    unknown_projects: sumUnknown(parts),
    leases_settled: leasesSettled,
    ...(missing === undefined ? {} : { events_missing: missing.events }),
    lost_layouts: (await ctx.streams.lostLayouts()).map(({ first, partitions, streams }) => ({
      first_partition: first,
      partitions,
      streams,
    })),
    unknown: unknownOf(parts),
  }
}

function sumUnknown(parts: readonly ReconciledPartition[]): { dsn_id: number; events: number }[] {
  const sums = new Map<number, number>()
  for (const { projectId, events } of parts.flatMap(({ unknownProjects }) => unknownProjects)) {
    sums.set(projectId, (sums.get(projectId) ?? 0) + events)
  }
  return [...sums]
    .map(([dsn_id, events]) => ({ dsn_id, events }))
    .sort((a, b) => a.dsn_id - b.dsn_id)
}

/** Sentences about what the reconciliation cannot know. */
function unknownOf(parts: readonly ReconciledPartition[]): string[] {
  if (parts.length === 0) return []
  const created = parts.some(({ report }) => report.issues_created > 0)
  const unnoted = parts
    .filter(({ missesNotes }) => missesNotes)
    .map(({ report }) => report.partition)
  return [
    'Everything that only Postgres stores is as it was in the backup: accounts, settings, states and merges of issues, feedback, ideas, emails, runs of monitors and dead letters.',
    ...(created
      ? ['Created issues have new ids and numbers, and no explanation of their grouping.']
      : []),
    ...(unnoted.length > 0
      ? [
          `Some ranges of the partitions ${unnoted.join(', ')} have no note, because they are older than 35 days or of a version that wrote none. Their events are counted; their sessions in sums are not, and frames of theirs that ingest sends again are counted as duplicates.`,
        ]
      : []),
  ]
}
