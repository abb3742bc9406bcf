import type { ProjectId } from '#schemas/ids.ts'
import type { IssueStatus } from '#schemas/rest/issue.ts'
import { similarCandidatesMax, similarIssuesMax } from '#schemas/rest/issue-insights.ts'
import type { Database } from '../../database.ts'

export interface StoredSimilar {
  readonly id: string
  readonly short_no: number
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly status: IssueStatus
  readonly count: number
  readonly first_seen: Date
  readonly last_seen: Date
  readonly similarity: number
  readonly same_type: boolean
  readonly same_culprit: boolean
}

/** Titles from here on are near. Two that differ in one of four words have about 0.6. */
export const nearTitle = 0.5
/** Longer titles are compared by their beginning, which bounds the time. */
const comparedCharacters = 200

/**
 * Compares with the issues of the project that were seen last, which an index gives. An index of
 * titles would be written by every event of an issue.
 */
export async function findSimilar(
  pg: Database,
  issue: {
    readonly projectId: ProjectId
    readonly id: string
    readonly title: string
    readonly culprit: string
    /** Empty if it is unknown. */
    readonly exceptionType: string
  },
): Promise<StoredSimilar[]> {
  const { rows } = await pg.query<StoredSimilar>(
    `select * from (
       select id, short_no, title, culprit, level, status, count, first_seen, last_seen,
         similarity(left(title, ${comparedCharacters}), left($3, ${comparedCharacters})) as similarity,
         $5 <> '' and (title = $5 or starts_with(title, $5 || ': ')) as same_type,
         $4 <> '' and culprit = $4 as same_culprit
       from (
         select id, short_no, title, culprit, level, status, count, first_seen, last_seen, merged_into
         from issues where project_id = $1 order by last_seen desc, id desc limit ${similarCandidatesMax}
       ) candidates
       where merged_into is null and id <> $2
     ) compared
     where similarity >= ${nearTitle} or same_type and same_culprit
     order by similarity + case when same_type then 0.3 else 0 end + case when same_culprit then 0.3 else 0 end desc,
       last_seen desc, id
     limit ${similarIssuesMax}`,
    [issue.projectId, issue.id, issue.title, issue.culprit, issue.exceptionType],
  )
  return rows
}
