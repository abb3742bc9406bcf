/**
 * Deletions of issues. One row remains of an issue: it says which events the job has to delete, and
 * how many events the accounting must subtract.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'
import { hasJobs } from '../jobs/has-jobs.ts'
import type { IssueActor } from './issue-history-store.ts'

export interface StoredDeletion {
  readonly issue_id: string
  readonly event_count: number
  readonly requested_at: Date
  readonly finished_at: Date | null
}

/** The job key keeps one job queued at a time; the job processes all open deletions. */
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
 * Call within a transaction that locks the issue and all issues that were merged into it. The
 * cursors are read after that: a commit that counted into the issue has moved its cursor, and a
 * commit that waits for the lock has not.
 */
export async function deleteIssueRows(
  client: Database,
  deletion: { projectId: ProjectId; issueId: string; actor: IssueActor; at: Date },
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
