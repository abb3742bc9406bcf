import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueRules } from './issue-rules.ts'

/** The rules of those given projects that have any. */
export async function readIssueRules(
  pg: Pool,
  projectIds: readonly ProjectId[],
): Promise<readonly IssueRules[]> {
  const { rows } = await pg.query<IssueRules>(
    `select project_id as "projectId", ownership, counts_users as "countsUsers"
     from (
       select dsn_id as project_id, ownership, exists (
         select from issues where project_id = dsn_id and ignored_until_users is not null
       ) as counts_users
       from projects where dsn_id = any($1)
     ) project
     where ownership <> '' or counts_users`,
    [projectIds],
  )
  return rows
}
