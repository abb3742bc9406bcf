/** Waits for the next event of a project: by live updates, or every two seconds without them. */
import { useEffect, useState } from 'preact/hooks'
import type { Event } from '../../../generated/api.d.ts'
import { useRead } from '../../../http/use-read.ts'
import { isLive, onChanged } from '../../../live/live-updates.ts'

const pollMs = 2_000

export interface Arrival {
  /** The event that came since the page was opened. */
  readonly arrived: Event | undefined
  /** The latest one before; null when there was none, undefined until it is known. */
  readonly before: Event | null | undefined
  readonly problem: Error | undefined
}

export function useArrival(projectId: string): Arrival {
  const [before, setBefore] = useState<Event | null>()
  const [arrived, setArrived] = useState<Event>()
  const read = useRead(
    'GET /api/v1/projects/{project_id}/events',
    { params: { project_id: projectId }, query: { limit: 1 } },
    { refetchEveryMs: isLive.value || arrived !== undefined ? undefined : pollMs },
  )
  const latest = read.data === undefined ? undefined : (read.data.items[0] ?? null)
  useEffect(() => {
    // Not collected for a second like other pages: the person looks at nothing else.
    if (arrived !== undefined) return
    return onChanged(({ topic }) => {
      if (topic === 'events' || topic === 'issues') read.refetch()
    })
  }, [projectId, arrived === undefined])
  useEffect(() => {
    if (latest === undefined) return
    if (before === undefined) setBefore(latest)
    else if (latest !== null && latest.id !== before?.id) setArrived(latest)
  }, [latest?.id, latest === undefined])
  return { arrived, before, problem: read.problem }
}
