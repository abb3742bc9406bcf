/**
 * The full comparison: counts of all committed rows against the counts in Postgres. It only adds:
 * rows expire and are deleted, so a count may be larger than the rows that are left, and a smaller
 * one is always wrong.
 */
import type { PoolClient } from '#platform/postgres.ts'
import { type CursorRow, readCursors } from './cursor-row-store.ts'
import { dropUnknownProjects, findEvents, type RowScope } from './found-events-store.ts'
import type { ReconcileContext } from './reconcile-context.ts'
import { type SettledRows, settleFoundRows } from './settle-found-rows-store.ts'

/** The caller holds the locks of all partitions, so that nothing is committed meanwhile. */
export async function countMissing(
  { clickhouse }: ReconcileContext,
  client: PoolClient,
  projectId: number | undefined,
): Promise<SettledRows> {
  const cursors = await readCursors(client)
  await findEvents(client, clickhouse, committedRows([...cursors.values()], projectId))
  await dropUnknownProjects(client)
  await keepMissing(client)
  return settleFoundRows(client)
}

function committedRows(cursors: readonly CursorRow[], projectId: number | undefined): RowScope {
  // Literals of our own numbers, which Postgres has checked by their types.
  const committed = cursors.map(
    ({ partition, generation, committedSeq }) =>
      `(partition = ${partition} and (stream_generation < ${generation}
        or stream_generation = ${generation} and stream_seq <= ${committedSeq}))`,
  )
  const ofProject = projectId === undefined ? '1' : 'project_id = {projectId: UInt64}'
  return {
    condition: `(${committed.join(' or ') || '0'}) and ${ofProject}`,
    parameters: projectId === undefined ? {} : { projectId },
  }
}

/** Leaves what rows have beyond the counts. Rows of deleted issues are about to be deleted too. */
async function keepMissing(client: PoolClient): Promise<void> {
  await client.query(
    `delete from found_issues using issue_deletions gone
     where gone.finished_at is null and gone.project_id = found_issues.project_id
       and found_issues.hash = any(gone.hashes)`,
  )
  await client.query(
    `update found_issues set count = found_issues.count - known.count,
       sampled_count = greatest(0, found_issues.sampled_count - known.sampled_count)
     from hash_sums known
     where known.project_id = found_issues.project_id and known.hash = found_issues.hash`,
  )
  await client.query(
    `update found_releases set count = found_releases.count - known.event_count from releases known
     where known.project_id = found_releases.project_id and known.version = found_releases.version`,
  )
  await client.query(
    `update found_usage set count = found_usage.count - known.used from quota_usage known
     where known.project_id = found_usage.project_id and known.period = found_usage.period`,
  )
  for (const table of ['found_issues', 'found_releases', 'found_usage']) {
    await client.query(`delete from ${table} where count <= 0`)
  }
}
