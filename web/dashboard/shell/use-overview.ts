/** The counts of the side bar, and what the home page decides by. */
import { type Read, useRead } from '../http/use-read.ts'

/** Replaced by the generated type as soon as the route is there. */
interface Overview {
  readonly has_events: boolean
  readonly counts: Readonly<Record<string, number>>
}

export function useOverview(projectId: string | undefined): Read<Overview> {
  return useRead(
    'GET /api/v1/projects/{project_id}/overview' as never,
    { params: { project_id: projectId ?? '' } } as never,
    {
      enabled: projectId !== undefined,
      topics: ['issues', 'monitors', 'feedback', 'moderation', 'alerts'],
    },
  ) as Read<Overview>
}
