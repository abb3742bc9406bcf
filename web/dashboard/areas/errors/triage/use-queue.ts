/**
 * The triage queue with decisions that can be taken back. The API cannot put an issue back into its
 * queue, so the latest decision waits a few seconds before it is sent: until the next decision, or
 * until the person leaves.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TriageEntry } from '../../../generated/api.d.ts'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { type Pages, usePages } from '../../../http/use-pages.ts'
import { useChanged } from '../../../live/use-changed.ts'
import { showToast } from '../../../shell/toast-list.ts'
import type { IssueChange } from '../changes/issue-after.ts'

const queue = 'GET /api/v1/projects/{project_id}/triage'
const stats = 'GET /api/v1/projects/{project_id}/triage/stats'
const overview = 'GET /api/v1/projects/{project_id}/overview'
const heldMs = 6_000
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
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const [decidedCount, setDecidedCount] = useState(0)
  const [latest, setLatest] = useState<Decision>()
  const held = useRef<{ decision: Decision; timer: ReturnType<typeof setTimeout> } | undefined>(
    undefined,
  )

  const mark = (entry: TriageEntry, isDecided: boolean) => {
    setDecided((before) => {
      const next = new Set(before)
      if (isDecided) next.add(visitOf(entry))
      else next.delete(visitOf(entry))
      return next
    })
    setDecidedCount((count) => count + (isDecided ? 1 : -1))
  }
  const flush = () => {
    const waiting = held.current
    if (waiting === undefined) return
    held.current = undefined
    clearTimeout(waiting.timer)
    const { decision } = waiting
    setLatest((shown) => (shown === decision ? undefined : shown))
    send(projectId, decision).then(
      () => void invalidateReads(stats, overview),
      (error: unknown) => {
        mark(decision.entry, false)
        const problem = asProblem(error)
        showToast({
          kind: 'error',
          text: problem?.message ?? String(error),
          ...(problem?.requestId === undefined ? {} : { requestId: problem.requestId }),
        })
      },
    )
  }
  const decide = (decision: Decision) => {
    flush()
    mark(decision.entry, true)
    setLatest(decision)
    held.current = { decision, timer: setTimeout(flush, heldMs) }
  }
  const undo = () => {
    const waiting = held.current
    if (waiting === undefined) return undefined
    held.current = undefined
    clearTimeout(waiting.timer)
    setLatest(undefined)
    mark(waiting.decision.entry, false)
    return waiting.decision.entry
  }
  useEffect(() => {
    const leave = () => {
      if (document.visibilityState === 'hidden') flush()
    }
    document.addEventListener('visibilitychange', leave)
    return () => {
      document.removeEventListener('visibilitychange', leave)
      flush()
    }
  }, [projectId])
  const entries = pages.items.filter((entry) => !decided.has(visitOf(entry)))
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
