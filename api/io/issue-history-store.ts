/** What is told of one issue beside its state: why events are in it, and who did what with it. */
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueStatus } from '#schemas/rest/issue.ts'
import type { Database } from './database.ts'
import { hashesPerIssueMax } from './issue-store.ts'

export interface StoredHash {
  readonly hash: string
  readonly explanation: unknown
  readonly created_at: Date
}

export interface StoredActivity {
  readonly kind: string
  readonly actor: { type: string }
  readonly data: Record<string, unknown>
  readonly at: Date
}

export interface Actor {
  readonly type: 'token'
  readonly id: string
  readonly label: string
}

const activitiesShownMax = 100

/** Oldest first. */
export async function listHashes(pg: Database, issueId: string): Promise<StoredHash[]> {
  const { rows } = await pg.query<StoredHash>(
    `select hash, explanation, created_at from issue_hashes
     where issue_id = $1 order by created_at, hash limit ${hashesPerIssueMax}`,
    [issueId],
  )
  return rows
}

/** Newest first. */
export async function listActivity(pg: Database, issueId: string): Promise<StoredActivity[]> {
  const { rows } = await pg.query<StoredActivity>(
    `select kind, actor, data, at from issue_activity
     where issue_id = $1 order by at desc, id desc limit ${activitiesShownMax}`,
    [issueId],
  )
  return rows
}

/**
 * Run in a transaction: the row stays locked from the look at the old status until the change and its
 * activity are stored. The status it has already changes nothing and leaves no trace.
 */
export async function changeStatus(
  client: Database,
  change: { projectId: ProjectId; issueId: string; status: IssueStatus; actor: Actor; at: Date },
): Promise<'changed' | 'unchanged' | 'not_found'> {
  const { rows } = await client.query<{ status: IssueStatus }>(
    'select status from issues where project_id = $1 and id = $2 for update',
    [change.projectId, change.issueId],
  )
  const before = rows[0]?.status
  if (before === undefined) return 'not_found'
  if (before === change.status) return 'unchanged'

  const substatus = change.status === 'unresolved' ? 'ongoing' : null
  const resolvedAt = change.status === 'resolved' ? change.at : null
  await client.query(
    'update issues set status = $2, substatus = $3, resolved_at = $4 where id = $1',
    [change.issueId, change.status, substatus, resolvedAt],
  )
  await client.query(
    `insert into issue_activity (issue_id, kind, actor, data, at) values ($1, 'status', $2, $3, $4)`,
    [change.issueId, change.actor, { from: before, to: change.status }, change.at],
  )
  return 'changed'
}
