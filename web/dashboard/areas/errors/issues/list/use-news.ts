/**
 * Live updates of the list that do not move its rows: issues on the screen get their new numbers in
 * place, and others are counted until the person asks for them.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Issue } from '../../../../generated/api.d.ts'
import { editItems } from '../../../../http/edit-cache.ts'
import { request } from '../../../../http/request.ts'
import { isLive, onChanged } from '../../../../live/live-updates.ts'
import { issueList } from '../../changes/change-issues.ts'
import type { Sort } from '../issues-state.ts'

interface NewsInput {
  readonly projectId: string
  readonly query: string
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
  const openedAt = useRef(new Date().toISOString())
  const key = `${input.projectId} ${input.sort} ${input.query}`
  const clear = () => {
    openedAt.current = new Date().toISOString()
    setNews(nothing)
  }
  useEffect(() => {
    clear()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    const read = async () => {
      const { projectId, query, isReady } = current.current
      if (!isReady || document.visibilityState !== 'visible') return
      const input = {
        params: { project_id: projectId },
        query: { ...(query === '' ? {} : { query }), sort: current.current.sort, limit: readMax },
      } as const
      const page = await request(issueList, input).catch(() => undefined)
      if (page === undefined || isGone) return
      const fresh = new Map(page.items.map((issue) => [issue.id, issue]))
      editItems(issueList, (issue) => fresh.get(issue.id) ?? issue)
      const shown = new Set(current.current.items.map(({ id }) => id))
      const unknown = page.items.filter(({ id }) => !shown.has(id))
      const areNew = unknown.every(({ first_seen }) => first_seen >= openedAt.current)
      setNews({ count: unknown.length, areNew })
    }
    const schedule = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void read()
      }, pauseMs)
    }
    const stop = onChanged(({ topic }) => {
      if (topic === 'issues' || topic === 'events') schedule()
    })
    const poll = setInterval(() => {
      if (!isLive.value) void read()
    }, pollMs)
    return () => {
      isGone = true
      stop()
      clearTimeout(timer)
      clearInterval(poll)
    }
  }, [key])
  return [news, clear]
}
