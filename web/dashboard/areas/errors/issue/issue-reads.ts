/** What the page reads. The issue and one event are asked for at the same time. */
import { useEffect } from 'preact/hooks'
import { queryClient } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { type Read, readKey, useRead } from '../../../http/use-read.ts'

export const issueRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}'
export const eventRead = 'GET /api/v1/projects/{project_id}/events/{event_id}'
export const placeRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/events/{place}'
export const eventsRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/events'
export const hashesRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/hashes'
export const usersRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/users'
export const similarRead = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/similar'
export const issuesRead = 'GET /api/v1/projects/{project_id}/issues'
export const triageRead = 'GET /api/v1/projects/{project_id}/triage'
const overviewRead = 'GET /api/v1/projects/{project_id}/overview'

/** Lists and counts that a change of an issue makes stale. */
export const readsOfIssues = [issuesRead, triageRead, overviewRead] as const

export type IssueDetail = Reply<typeof issueRead>
export type EventDetail = Reply<typeof eventRead>

export interface IssueId {
  readonly projectId: string
  readonly issueId: string
}

/** Beside ids, the address names events by their place. */
const places = ['latest', 'oldest', 'recommended'] as const
type Place = (typeof places)[number]
const placeTopics = { latest: ['events'], oldest: [], recommended: [] } as const

export function useIssue({ projectId, issueId }: IssueId): Read<IssueDetail> {
  const params = { project_id: projectId, issue_id: issueId }
  return useRead(issueRead, { params }, { topics: ['issues'], keepPrevious: true })
}

/** `event` is an id or a place; without it, the event that helps most. */
export function useIssueEvent(
  { projectId, issueId }: IssueId,
  event: string | undefined,
  isShown: boolean,
): Read<EventDetail> {
  const place = placeOf(event)
  const byPlace = useRead(
    placeRead,
    { params: { project_id: projectId, issue_id: issueId, place: place ?? 'recommended' } },
    {
      enabled: isShown && place !== undefined,
      keepPrevious: true,
      topics: place === undefined ? [] : placeTopics[place],
    },
  )
  const byId = useRead(
    eventRead,
    { params: { project_id: projectId, event_id: event ?? '' } },
    { enabled: isShown && place === undefined, keepPrevious: true },
  )
  return place === undefined ? byId : byPlace
}

export function placeOf(event: string | undefined): Place | undefined {
  if (event === undefined) return 'recommended'
  return places.find((place) => place === event)
}

const freshMs = 300_000

/** Events do not change: the neighbours are there before somebody asks for them. */
export function usePrefetchedNeighbours(projectId: string, event: EventDetail | undefined): void {
  const ids = [event?.previous_event_id, event?.next_event_id]
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const id of ids) {
        if (typeof id !== 'string') continue
        const input = { params: { project_id: projectId, event_id: id } }
        void queryClient.prefetchQuery({
          queryKey: readKey(eventRead, input),
          queryFn: ({ signal }) => request(eventRead, input, signal),
          staleTime: freshMs,
        })
      }
    }, 150)
    return () => clearTimeout(timer)
  }, [projectId, ...ids])
}
