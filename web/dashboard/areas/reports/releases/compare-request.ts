/** The comparison of two releases. */
import type { Reply } from '../../../http/request.ts'
import { type Read, useRead } from '../../../http/use-read.ts'

const operation = 'GET /api/v1/projects/{project_id}/releases/{release}/compare'

export type ReleaseComparison = Reply<typeof operation>
export type ComparedIssues = ReleaseComparison['new_issues']
export type ComparedIssue = ComparedIssues['items'][number]

export function useComparison(
  params: { readonly project_id: string; readonly release: string },
  query: { readonly base: string; readonly since: string; readonly environment?: string },
): Read<ReleaseComparison> {
  return useRead(
    operation,
    { params, query },
    { topics: ['releases', 'issues'], keepPrevious: true },
  )
}
