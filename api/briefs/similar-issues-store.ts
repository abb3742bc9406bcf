import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface SimilarIssue {
  readonly id: string
  readonly short_no: number
  readonly title: string
  readonly culprit: string
  readonly status: string
  readonly last_seen: Date
}

export const similarIssuesMax = 5
/** Only the newest issues are compared, so that the query reads a bounded range of an index. */
const recentIssuesMax = 1_000

/**
 * Recent issues of the project with the same culprit, or with a title that begins with the same
 * type of exception. Issues with the same culprit come first.
 */
export async function listSimilarIssues(
  pg: Database,
  issue: { projectId: ProjectId; id: string; culprit: string; exceptionType: string },
): Promise<SimilarIssue[]> {
  const { rows } = await pg.query<SimilarIssue>(
    `select id, short_no, title, culprit, status, last_seen from (
       select * from issues where project_id = $1 and merged_into is null
       order by last_seen desc, id desc limit ${recentIssuesMax}
     ) recent
     where id <> $2 and (
       (culprit <> '' and culprit = $3) or ($4 <> '' and (title = $4 or starts_with(title, $4 || ':')))
     )
     order by culprit = $3 desc, last_seen desc, id desc limit ${similarIssuesMax}`,
    [issue.projectId, issue.id, issue.culprit, issue.exceptionType],
  )
  return rows
}
