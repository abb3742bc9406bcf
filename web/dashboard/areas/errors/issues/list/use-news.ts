/**
 * Live updates of the list that do not move its rows: issues on the screen get their new numbers in
 * place, and others are counted until the person asks for them.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Issue } from '../../../../generated/api.d.ts'
import { editItems } from '../../../../http/edit-cache.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { isLive } from '../../../../live/live-updates.ts'
import { useChanged } from '../../../../live/use-changed.ts'
import { issueList } from '../../changes/change-issues.ts'
import type { IssueFilter } from '../period.ts'
import type { Sort } from './columns.ts'

interface NewsInput {
  readonly projectId: string
  readonly filter: IssueFilter
  readonly sort: Sort
  readonly items: readonly Issue[]
  readonly isReady: boolean
}

/** At most one request in this time, however much happens. */
const pauseMs = 4_000
/** How often the list is read while the connection for live updates is lost. */
const pollMs = 30_000
const readMax = 50

export interface News {
  /** Issues that the search finds now and that are not on the screen. */
  readonly count: number
  readonly areNew: boolean
}

const nothing: News = { count: 0, areNew: false }

export function useNews(input: NewsInput): readonly [News, () => void] {
  const [news, setNews] = useState(nothing)
  const current = useRef(input)
  current.current = input
  const key = `${input.projectId} ${input.sort} ${JSON.stringify(input.filter)}`
  const clear = () => setNews(nothing)
  const read = useRef<() => Promise<void>>(async () => undefined)
  useChanged(['issues', 'events'], pauseMs, () => void read.current())
  useEffect(() => {
    clear()
    let isGone = false
    read.current = async () => {
      const { projectId, filter, isReady } = current.current
      if (!isReady || document.visibilityState !== 'visible') return
      const input = {
        params: { project_id: projectId },
        query: { ...filter, sort: current.current.sort, limit: readMax },
      } as const
      const page = await request(issueList, input).catch(() => undefined)
      if (page === undefined || isGone) return
      const fresh = new Map(page.items.map((issue) => [issue.id, issue]))
      editItems(issueList, (issue) => fresh.get(issue.id) ?? issue)
      const { items } = current.current
      const shown = new Set(items.map(({ id }) => id))
      const unknown = page.items.filter(({ id }) => !shown.has(id))
      // Nobody reads an empty list: it fills by itself.
      if (items.length === 0 && unknown.length > 0) return void invalidateReads(issueList)
      // By the clock of the server alone.
      const newest =
        items
          .map(({ first_seen }) => first_seen)
          .sort()
          .at(-1) ?? ''
      const areNew = unknown.every(({ first_seen }) => first_seen > newest)
      setNews({ count: unknown.length, areNew })
    }
    const poll = setInterval(() => {
      if (!isLive.value) void read.current()
    }, pollMs)
    return () => {
      isGone = true
      clearInterval(poll)
    }
  }, [key])
  return [news, clear]
}
