/** Deleting issues: what is left of them is one row, which says what the job has to delete and what the books have lost. */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import type { Actor } from './issue-history-store.ts'

export interface StoredDeletion {
  readonly issue_id: string
  readonly event_count: number
  readonly requested_at: Date
  readonly finished_at: Date | null
}

/** Of one key, so that one job waits at a time: it takes all that there is to delete. */
const enqueueJob = `select graphile_worker.add_job('delete_issue_events', job_key := 'delete_issue_events')`

export async function findDeletion(
  client: Database,
  lookup: { projectId: ProjectId; issueId: string },
): Promise<StoredDeletion | undefined> {
  const { rows } = await client.query<StoredDeletion>(
    `select issue_id, event_count, requested_at, finished_at from issue_deletions
     where project_id = $1 and issue_id = $2`,
    [lookup.projectId, lookup.issueId],
  )
  return rows[0]
}

/**
 * Run in a transaction that holds the issue's row and those of all that were merged into it. The cursors are read after that:
 * commits that counted into the issue have moved theirs, and those that wait for the row have not.
 */
export async function deleteIssueRows(
  client: Database,
  deletion: { projectId: ProjectId; issueId: string; actor: Actor; at: Date },
): Promise<StoredDeletion | undefined> {
  const { rows } = await client.query<StoredDeletion>(
    `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count, sampled_count, hashes,
       partitions, generations, committed_seqs, requested_at)
     select project_id, id, short_no, $3, count, sampled_count,
       array(select hash from issue_hashes where issue_id = $2 order by hash),
       array(select partition from partition_cursors order by partition),
       array(select generation from partition_cursors order by partition),
       array(select committed_seq from partition_cursors order by partition), $4
     from issues where project_id = $1 and id = $2
     returning issue_id, event_count, requested_at, finished_at`,
    [deletion.projectId, deletion.issueId, deletion.actor, deletion.at],
  )
  await client.query('delete from issue_hashes where issue_id = $1', [deletion.issueId])
  await client.query('delete from issues where id = $1', [deletion.issueId])
  if (await hasJobs(client)) await client.query(enqueueJob)
  return rows[0]
}

/** Workers make the tables of jobs when they first start, and then look for what waits. */
async function hasJobs(client: Database): Promise<boolean> {
  const { rows } = await client.query<{ ready: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as ready`,
  )
  return rows[0]?.ready === true
}
