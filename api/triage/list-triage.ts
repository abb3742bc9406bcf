/** One page of the triage queue, oldest first: issues and failing monitors in one order. */
import { z } from 'zod'
import type { TriageEntry, TriageQuery } from '#schemas/rest/triage.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { readIssueStats } from '../issues/issue-stats.ts'
import { findIssues } from '../issues/issue-store.ts'
import { issueItem } from '../issues/issue-view.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { type FailingMonitor, readFailingMonitors } from './failing-monitors.ts'
import { filterIssues, listQueuedIssues, type QueuedIssue } from './triage-store.ts'

const Position = z.tuple([CursorTime, CursorUuid])

interface Row {
  readonly id: string
  readonly position: string
  readonly issue: QueuedIssue | undefined
  readonly monitor: FailingMonitor | undefined
}

export async function listTriage(
  project: StoredProject,
  query: TriageQuery,
  ctx: ApiContext,
): Promise<Page<TriageEntry>> {
  const { limit, reason } = query
  const projectId = project.dsnId
  const now = new Date(ctx.clock.nowMs())
  const after = decodeCursor(query.cursor, Position)
  const monitors = await readFailingMonitors(ctx.pg, { projectId, now })
  const wantsMonitors = reason === undefined || reason === 'monitor_failed'
  const failing = wantsMonitors ? await filterMonitors(monitors.entries, query, ctx) : []
  const issues =
    reason === 'monitor_failed'
      ? []
      : await listQueuedIssues(ctx.pg, {
          projectId,
          filter: { ...query, reason },
          without: monitors.issueIds,
          after,
          limit: limit + 1,
          now,
        })
  const rows = [
    ...issues.map((issue): Row => ({ ...issue, issue, monitor: undefined })),
    ...failing.map((monitor): Row => ({ ...monitor, issue: undefined, monitor })),
  ]
    .filter((row) => after === undefined || isBefore({ position: after[0], id: after[1] }, row))
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const page = pageOfRows(rows, limit, ({ position, id }) => [position, id])
  return { items: await describe(project, page.items, ctx), next_cursor: page.next_cursor }
}

type Place = Pick<Row, 'position' | 'id'>

/** All positions have the same form, in which the order of texts is that of times. */
function isBefore(a: Place, b: Place): boolean {
  return a.position < b.position || (a.position === b.position && a.id < b.id)
}

/** Without an issue, a failure counts as what its issue would be. */
async function filterMonitors(
  monitors: readonly FailingMonitor[],
  { level, priority, assignee }: TriageQuery,
  { pg }: ApiContext,
): Promise<FailingMonitor[]> {
  const ids = monitors.flatMap(({ issueId }) => issueId ?? [])
  const passed = await filterIssues(pg, ids, { level, priority, assignee })
  const passesAlone =
    (level ?? 'error') === 'error' &&
    (priority ?? 'high') === 'high' &&
    (assignee ?? 'none') === 'none'
  return monitors.filter(({ issueId }) =>
    issueId === undefined ? passesAlone : passed.has(issueId),
  )
}

async function describe(
  project: StoredProject,
  rows: readonly Row[],
  ctx: ApiContext,
): Promise<TriageEntry[]> {
  const ids = rows.flatMap(({ issue, monitor }) => issue?.id ?? monitor?.issueId ?? [])
  const issues = await findIssues(ctx.pg, { projectId: project.dsnId, ids })
  const statsOf = await readIssueStats(ctx.clickhouse, {
    projectId: project.dsnId,
    issues,
    nowMs: ctx.clock.nowMs(),
  })
  const items = new Map(
    issues.map((issue) => [issue.id, issueItem(issue, statsOf(issue.id), project.shortName)]),
  )
  return rows.flatMap(({ issue, monitor, position }) => {
    const id = issue?.id ?? monitor?.issueId
    const item = id === undefined ? null : (items.get(id) ?? null)
    // Deleted or merged meanwhile.
    if (item === null && monitor === undefined) return []
    return [
      {
        reason: issue?.reason ?? 'monitor_failed',
        since: new Date(position).toISOString(),
        issue: item,
        monitor:
          monitor === undefined
            ? null
            : {
                slug: monitor.slug,
                environment: monitor.environment,
                incident: monitor.kind,
              },
      } satisfies TriageEntry,
    ]
  })
}
