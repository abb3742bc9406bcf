/** The triage queue with decisions that can be undone for some seconds. */
import { useState } from 'preact/hooks'
import type { TriageEntry } from '../../../generated/api.d.ts'
import {
  decidedIds,
  heldIds,
  holdDecision,
  undoHeld,
  useHeldDecisions,
} from '../../../http/held-decisions.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { type Pages, usePages } from '../../../http/use-pages.ts'
import { useChanged } from '../../../live/use-changed.ts'
import type { IssueChange } from '../changes/issue-after.ts'

const queue = 'GET /api/v1/projects/{project_id}/triage'
const stats = 'GET /api/v1/projects/{project_id}/triage/stats'
const overview = 'GET /api/v1/projects/{project_id}/overview'
/** A queue that moves each second cannot be read. */
const pauseMs = 10_000

export type Reason = TriageEntry['reason']

/** A decision about an issue, or about a monitor whose failure has no issue. */
export interface Decision {
  readonly entry: TriageEntry
  readonly change: IssueChange | { readonly muted: true } | { readonly snooze_until: string }
  /** `Resolved SHOP-12.` */
  readonly text: string
}

export interface Queue {
  readonly pages: Pages<TriageEntry>
  readonly entries: readonly TriageEntry[]
  /** The latest decision that can be undone. */
  readonly latest: Decision | undefined
  /** Decisions made since the page was opened. */
  readonly decidedCount: number
  readonly decide: (decision: Decision) => void
  readonly undo: () => TriageEntry | undefined
}

export function keyOfEntry({ issue, monitor }: TriageEntry): string {
  return issue?.id ?? `${monitor?.slug} ${monitor?.environment}`
}

/** An issue that comes back later is another visit. */
function visitOf(entry: TriageEntry): string {
  return `${keyOfEntry(entry)} ${entry.since}`
}

export function useQueue(projectId: string, reason: Reason | undefined): Queue {
  const pages = usePages(
    queue,
    { params: { project_id: projectId }, query: { limit: 100, ...(reason ? { reason } : {}) } },
    { keepPrevious: true },
  )
  useChanged(['issues', 'monitors'], pauseMs, () => void invalidateReads(queue, stats))
  useHeldDecisions()
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map())
  const latestId = heldIds.value.at(-1)
  const latest = latestId === undefined ? undefined : made.get(latestId)
  const decide = (decision: Decision) => {
    const id = visitOf(decision.entry)
    setMade((before) => new Map([...before, [id, decision]]))
    const title = decision.entry.issue?.short_id ?? decision.entry.monitor?.slug
    holdDecision({
      id,
      send: () => send(projectId, decision),
      refetch: [stats, overview],
      ...(title === undefined ? {} : { title }),
    })
  }
  const undo = () =>
    latestId !== undefined && undoHeld(latestId) ? made.get(latestId)?.entry : undefined
  const entries = pages.items.filter((entry) => !decidedIds.value.has(visitOf(entry)))
  const decidedCount = [...made.keys()].filter((id) => decidedIds.value.has(id)).length
  return { pages, entries, latest, decidedCount, decide, undo }
}

async function send(projectId: string, { entry, change }: Decision): Promise<void> {
  const { issue, monitor } = entry
  if (issue !== null) {
    await request('PATCH /api/v1/projects/{project_id}/issues/{issue_id}', {
      params: { project_id: projectId, issue_id: issue.id },
      body: change as IssueChange,
    })
  } else if (monitor !== null) {
    await request('PATCH /api/v1/projects/{project_id}/monitors/{slug}', {
      params: { project_id: projectId, slug: monitor.slug },
      body: change as { readonly muted: true },
    })
  }
}
