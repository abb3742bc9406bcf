/** The issue of an entry with its latest event. Those of the next entries are read ahead. */
import { useEffect } from 'preact/hooks'
import type { IssueDetail, TriageEntry } from '../../../generated/api.d.ts'
import { queryClient } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { readKey, useRead } from '../../../http/use-read.ts'

const detailOperation = 'GET /api/v1/projects/{project_id}/issues/{issue_id}'
const eventsOperation = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/events'
const eventOperation = 'GET /api/v1/projects/{project_id}/events/{event_id}'
const freshMs = 60_000

export interface EntryDetail {
  readonly issue: IssueDetail | undefined
  /** Of the latest event; undefined until it is read. */
  readonly payload: unknown
  readonly isLoading: boolean
}

export function useEntryDetail(
  projectId: string,
  entry: TriageEntry | undefined,
  next: readonly TriageEntry[],
): EntryDetail {
  const issueId = entry?.issue?.id ?? ''
  const params = { project_id: projectId, issue_id: issueId }
  const enabled = issueId !== ''
  const issue = useRead(detailOperation, { params }, { enabled })
  const events = useRead(eventsOperation, { params, query: { limit: 1 } }, { enabled })
  const eventId = events.data?.items[0]?.id ?? ''
  const eventInput = { params: { project_id: projectId, event_id: eventId } }
  const event = useRead(eventOperation, eventInput, { enabled: eventId !== '' })
  const ahead = next.flatMap((one) => one.issue?.id ?? [])
  useEffect(() => {
    for (const id of ahead) void readAhead(projectId, id)
  }, [projectId, ahead.join()])
  return {
    issue: issue.data,
    payload: event.data?.payload,
    isLoading: enabled && (issue.isLoading || events.isLoading || event.isLoading),
  }
}

async function readAhead(projectId: string, issueId: string): Promise<void> {
  const params = { project_id: projectId, issue_id: issueId }
  const eventsInput = { params, query: { limit: 1 } }
  void queryClient.prefetchQuery({
    queryKey: readKey(detailOperation, { params }),
    queryFn: ({ signal }) => request(detailOperation, { params }, signal),
    staleTime: freshMs,
  })
  const events = await queryClient
    .fetchQuery({
      queryKey: readKey(eventsOperation, eventsInput),
      queryFn: ({ signal }) => request(eventsOperation, eventsInput, signal),
      staleTime: freshMs,
    })
    .catch(() => undefined)
  const eventId = events?.items[0]?.id
  if (eventId === undefined) return
  const input = { params: { project_id: projectId, event_id: eventId } }
  await queryClient.prefetchQuery({
    queryKey: readKey(eventOperation, input),
    queryFn: ({ signal }) => request(eventOperation, input, signal),
    staleTime: freshMs,
  })
}
