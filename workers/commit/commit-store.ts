/**
 * Commits a range: issue counts, releases, frame progress, dead letters and the cursor change in
 * one transaction. After a crash before it, the range is still planned, and the next owner digests
 * and inserts the same range again under the same tokens.
 */
import {
  inRolledBackTransaction,
  inTransaction,
  isDataError,
  type Pool,
  type PoolClient,
} from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { dashed } from '#schemas/ids.ts'
import { commitAlerts } from '../alerts/commit-alerts.ts'
import { insertAttachments } from '../attachments/attachment-store.ts'
import { deleteRetriedDeadLetters, insertDeadLetters } from '../dead-letters/dead-letter-store.ts'
import { keepItemIds } from '../dedup/item-id-store.ts'
import type { RangeOutput } from '../digest/range.ts'
import { insertFeedback } from '../feedback/feedback-store.ts'
import { settleStates } from '../issue-states/settle-states.ts'
import type { SettledStates } from '../issue-states/settled-states.ts'
import { commitMonitors } from '../monitors/monitor-commit.ts'
import { deleteDigestedEvents } from '../outbox/outbox-store.ts'
import { moveCursor, planRange } from '../partitions/cursor-store.ts'
import type { InstanceProgress } from '../partitions/frame-progress.ts'
import {
  type CommitResult,
  DataRefusedError,
  type RangeCommit,
  type RangePlan,
} from '../partitions/ports.ts'
import { addSessionSums } from '../release-health/release-health-store.ts'
import { reportLateSessions } from '../release-health/session-days/stale-session-day-store.ts'
import { readExistingProjects, upsertReleases } from './issue-store.ts'
import { mergeReleases } from './merge-releases.ts'
import { settleLeases } from './quota-settlement.ts'
import { settleIssues } from './settle-issues.ts'

export function commitRange(
  pg: Pool,
  commit: RangeCommit,
  layout: IngestLayout = { first: 0, partitions: 1, streams: 1 },
): Promise<CommitResult> {
  return namingRefusals(() => inTransaction(pg, (client) => writeCommit(client, commit, layout)))
}

/**
 * Plans and commits the range in a transaction that is rolled back. It runs the same statements and
 * so throws the same refusals.
 */
export function rehearseRange(
  pg: Pool,
  commit: RangeCommit,
  { plan, layout }: { readonly plan: RangePlan; readonly layout: IngestLayout },
): Promise<void> {
  return namingRefusals(() =>
    inRolledBackTransaction(pg, async (client) => {
      const cursor = await planRange(client, commit.cursor, plan)
      await writeCommit(client, { ...commit, cursor }, layout)
    }),
  )
}

/**
 * Turns errors that the data causes into `DataRefusedError`: those of Postgres, and those of our
 * own arithmetic on values from Postgres or a record. A failed connection throws neither.
 */
async function namingRefusals<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(isDataError(error) || error instanceof RangeError || error instanceof TypeError))
      throw error
    throw new DataRefusedError(`Postgres refused the data of a commit: ${error.message}`, {
      cause: error,
    })
  }
}

async function writeCommit(
  client: PoolClient,
  { cursor, output, frames, alertRules = [] }: RangeCommit,
  layout: IngestLayout,
): Promise<CommitResult> {
  await moveCursor(client, cursor)
  // Locks the projects before any of their rows, so that a deletion of a project runs either before
  // or after the whole commit.
  const projects = await readExistingProjects(client, projectsOf(output))
  const settled = await commitSums(client, output, projects)
  if (output.ownEventIds.length > 0) await deleteDigestedEvents(client, output.ownEventIds)
  if (output.itemIds.length > 0) {
    const scope = { partition: cursor.partition, first: layout.first }
    await keepItemIds(client, scope, output.itemIds)
  }
  if (frames.length > 0) await upsertFrameProgress(client, cursor.partition, frames)
  // After the progress of the frames, which tells whether older frames are still missing.
  const { partition } = cursor
  const monitors = await commitMonitors(
    client,
    { partition, layout, checkIns: output.checkIns, minutes: output.minutes },
    projects,
  )
  const sessionSums = output.sessionSums.filter(({ projectId }) => projects.has(projectId))
  if (sessionSums.length > 0) await addSessionSums(client, sessionSums)
  const sessionReleases = output.sessionReleases.filter(({ projectId }) => projects.has(projectId))
  if (sessionReleases.length > 0) await reportLateSessions(client, sessionReleases)
  const feedbackRules = await insertFeedback(client, output.feedback, projects)
  if (output.attachments.length > 0) await insertAttachments(client, output.attachments, projects)
  if (output.retriedDeadLetterIds.length > 0) {
    await deleteRetriedDeadLetters(client, output.retriedDeadLetterIds)
  }
  if (output.deadLetters.length > 0) await insertDeadLetters(client, cursor, output.deadLetters)
  // Late, because concurrent commits wait for the jobs of the rules that fire.
  const firedRules = await commitAlerts(client, settled, {
    rules: alertRules,
    cursor,
    alsoFired: [...(monitors?.firedRules ?? []), ...feedbackRules],
  })
  // Last, because all partitions and all ingest instances wait for the usage row of a project.
  await settleLeases(client, output.leases)
  const result = {
    newIssues: settled.changes.filter(({ isNew }) => isNew).length,
    regressedIssues: settled.regressed.size,
    ...(settled.escalated.size > 0 && { escalatedIssues: settled.escalated.size }),
    ...(settled.returned.size > 0 && { returnedIssues: settled.returned.size }),
    firedRules,
  }
  return monitors === undefined ? result : { ...result, monitors }
}

function projectsOf({
  issues,
  leases,
  checkIns,
  sessionReleases,
  feedback,
  attachments,
}: RangeOutput): number[] {
  const mentions = [
    ...issues,
    ...leases,
    ...checkIns,
    ...sessionReleases,
    ...feedback,
    ...attachments,
  ]
  return [...new Set<number>(mentions.map(({ projectId }) => projectId))]
}

async function commitSums(
  client: PoolClient,
  output: RangeOutput,
  projects: ReadonlySet<number>,
): Promise<SettledStates> {
  const isThere = ({ projectId }: { readonly projectId: number }) => projects.has(projectId)
  const sums = output.issues.filter(isThere)
  const { changes, touched } =
    sums.length > 0 ? await settleIssues(client, sums) : { changes: [], touched: [] }
  const releases = mergeReleases(
    output.releases.filter(isThere),
    output.sessionReleases.filter(isThere),
  )
  if (releases.length > 0) await upsertReleases(client, releases)
  // After the releases, by which a resolved issue regresses.
  return settleStates(client, changes, touched)
}

async function upsertFrameProgress(
  client: PoolClient,
  partition: number,
  frames: readonly InstanceProgress[],
): Promise<void> {
  for (const { instanceId, contiguous, ahead } of frames) {
    await client.query(
      `insert into frame_progress (partition, boot_id, contiguous, ahead) values ($1, $2, $3, $4)
       on conflict (partition, boot_id) do update set
         contiguous = excluded.contiguous, ahead = excluded.ahead, updated_at = now()`,
      [partition, dashed(instanceId), contiguous, ahead],
    )
  }
}
