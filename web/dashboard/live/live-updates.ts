/**
 * Server-sent events: one connection for each tab. A change marks the cached reads of its topic as
 * stale, at most once a second. After sleep or a lost connection everything on the screen is read
 * again, because the browser resumes with the last event id, and a proxy may have dropped it.
 */
import { signal } from '@preact/signals'
import { invalidateTopics, type Topic, topics } from '../http/query-client.ts'

export interface Changed {
  readonly topic: Topic
  /** Null when more than 50 changed. */
  readonly ids: readonly string[] | null
}

/** False while the connection is lost. */
export const isLive = signal(true)

const collectMs = 1_000
const retryMsMax = 30_000
const listeners = new Set<(changed: Changed) => void>()
let source: EventSource | undefined
let address = ''
let retryMs = 1_000
let retryTimer: ReturnType<typeof setTimeout> | undefined
let collected = new Set<Topic>()
let isCollecting = false

/** Connects, or moves the connection to another project. Undefined ends it. */
export function connectLive(projectId: string | undefined, loggedIn: boolean): void {
  const query = projectId === undefined ? '' : `?project_id=${encodeURIComponent(projectId)}`
  const wanted = loggedIn ? `/api/v1/live${query}` : ''
  if (wanted === address) return
  address = wanted
  open()
}

/** For pages that show the changed item itself, such as the first event. */
export function onChanged(listener: (changed: Changed) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function open(): void {
  source?.close()
  clearTimeout(retryTimer)
  if (address === '') return
  const opened = new EventSource(address)
  source = opened
  opened.addEventListener('open', () => {
    // What changed while the connection was away is unknown.
    if (!isLive.value) collect(topics)
    isLive.value = true
    retryMs = 1_000
  })
  opened.addEventListener('changed', (event: MessageEvent<string>) => {
    const changed = JSON.parse(event.data) as Changed
    collect([changed.topic])
    for (const listener of listeners) listener(changed)
  })
  opened.addEventListener('error', () => {
    isLive.value = false
    // The browser gives up after an error reply; then it is our turn.
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return
    retryTimer = setTimeout(open, retryMs)
    retryMs = Math.min(retryMs * 2, retryMsMax)
  })
}

function collect(changed: Iterable<Topic>): void {
  for (const topic of changed) collected.add(topic)
  if (isCollecting) return
  isCollecting = true
  setTimeout(() => {
    const all = collected
    collected = new Set()
    isCollecting = false
    invalidateTopics(all)
  }, collectMs)
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && source?.readyState === EventSource.CLOSED) open()
})
