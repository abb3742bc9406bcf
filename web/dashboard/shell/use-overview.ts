/** The counts of the side bar, and what the home page decides by. */
import type { Reply } from '../http/request.ts'
import { type Read, useRead } from '../http/use-read.ts'

const overview = 'GET /api/v1/projects/{project_id}/overview'
export type Counts = Reply<typeof overview>['counts']

export function useOverview(projectId: string | undefined): Read<Reply<typeof overview>> {
  return useRead(
    overview,
    { params: { project_id: projectId ?? '' } },
    {
      enabled: projectId !== undefined,
      topics: ['issues', 'monitors', 'feedback', 'moderation', 'alerts'],
    },
  )
}
