/** The history of an issue: its grouping hashes, and who changed it. */
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { Database } from '../database.ts'

export interface StoredHash {
  readonly hash: string
  readonly explanation: unknown
  readonly created_at: Date
  /** The number of events whose first hash this is. */
  readonly count: number
  readonly last_seen: Date | null
  /** The issue that gets the hash when the merge is undone. */
  readonly came_from: string | null
}

export interface StoredActivity {
  /** This issue, or an issue that was merged into it. */
  readonly issue_id: string
  readonly kind: string
  readonly actor: { type: string }
  readonly data: Record<string, unknown>
  readonly at: Date
}

/** Who changed an issue, as its activity shows. */
// A type: it is a JSON object, to which an interface could add fields.
export type IssueActor = {
  readonly type: 'token' | 'person' | 'command_line'
  /** Null on the command line. */
  readonly id: string | null
  readonly label: string
}

const activitiesShownMax = 100

/** Oldest first. */
export async function listHashes(pg: Database, issueId: string): Promise<StoredHash[]> {
  const { rows } = await pg.query<StoredHash>(
    `select hash, explanation, created_at, coalesce(count, 0) as count, last_seen,
       came_from[cardinality(came_from)] as came_from
     from issue_hashes left join hash_sums using (project_id, hash)
     where issue_id = $1 order by created_at, hash limit ${hashesPerIssueMax}`,
    [issueId],
  )
  return rows
}

/** Newest first, including the activity of the issues that were merged into this one. */
export async function listActivity(pg: Database, issueId: string): Promise<StoredActivity[]> {
  const { rows } = await pg.query<StoredActivity>(
    `with recursive part (id) as (
       select $1::uuid union all select issues.id from issues join part on merged_into = part.id
     )
     select issue_id, kind, actor, data, at from issue_activity
     where issue_id in (select id from part) order by at desc, id desc limit ${activitiesShownMax}`,
    [issueId],
  )
  return rows
}

export interface NewActivity {
  readonly issueId: string
  readonly kind:
    | 'merged'
    | 'merged_into'
    | 'hashes_given'
    | 'hashes_taken'
    | 'comment'
    | 'linked'
    | 'unlinked'
  readonly data: Readonly<Record<string, unknown>>
}

export async function addActivities(
  client: Database,
  activities: readonly NewActivity[],
  by: { actor: IssueActor; at: Date },
): Promise<void> {
  await client.query(
    `insert into issue_activity (issue_id, kind, actor, data, at)
     select issue_id, kind, $4, data, $5 from unnest($1::uuid[], $2::text[], $3::jsonb[]) as new (issue_id, kind, data)`,
    [
      activities.map(({ issueId }) => issueId),
      activities.map(({ kind }) => kind),
      activities.map(({ data }) => JSON.stringify(data)),
      by.actor,
      by.at,
    ],
  )
}
