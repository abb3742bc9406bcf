/** The issue of an entry, and the event that tells most. Those of the next are read ahead. */
import { useEffect } from 'preact/hooks'
import type { IssueDetail, TriageEntry } from '../../../generated/api.d.ts'
import { queryClient } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { readKey, useRead } from '../../../http/use-read.ts'

const detailOperation = 'GET /api/v1/projects/{project_id}/issues/{issue_id}'
const eventOperation = 'GET /api/v1/projects/{project_id}/issues/{issue_id}/events/{place}'
const freshMs = 60_000

export interface EntryDetail {
  readonly issue: IssueDetail | undefined
  /** Of that event; undefined until it is read. */
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
  const eventInput = { params: { ...params, place: 'recommended' as const } }
  const event = useRead(eventOperation, eventInput, { enabled })
  const ahead = next.flatMap((one) => one.issue?.id ?? [])
  useEffect(() => {
    for (const id of ahead) readAhead(projectId, id)
  }, [projectId, ahead.join()])
  return {
    issue: issue.data,
    payload: event.data?.payload,
    isLoading: enabled && (issue.isLoading || event.isLoading),
  }
}

function readAhead(projectId: string, issueId: string): void {
  const params = { project_id: projectId, issue_id: issueId }
  void queryClient.prefetchQuery({
    queryKey: readKey(detailOperation, { params }),
    queryFn: ({ signal }) => request(detailOperation, { params }, signal),
    staleTime: freshMs,
  })
  const eventInput = { params: { ...params, place: 'recommended' as const } }
  void queryClient.prefetchQuery({
    queryKey: readKey(eventOperation, eventInput),
    queryFn: ({ signal }) => request(eventOperation, eventInput, signal),
    staleTime: freshMs,
  })
}
