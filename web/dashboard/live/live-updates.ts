/**
 * Server-sent events: one connection for each tab that is on the screen, because browsers open only
 * six to a server over HTTP/1.1. A change marks the cached reads of its topic as stale, at most
 * once a second, and less often in a busy project. A connection that returns names the last event
 * it has seen, and the server announces what has changed since.
 */
import { signal } from '@preact/signals'
import { invalidateTopics, type Topic, topics } from '../http/query-client.ts'
import { RefreshPause } from './refresh-pause.ts'

export interface Changed {
  readonly topic: Topic
  /** Null when more than 50 changed. */
  readonly ids: readonly string[] | null
}

/** False while the connection is lost. */
export const isLive = signal(true)

const pause = new RefreshPause()
const retryMsMax = 30_000
/** A tab in the background keeps its connection this long. */
const hiddenMsMax = 30_000
const listeners = new Set<(changed: Changed) => void>()
let source: EventSource | undefined
let address = ''
let lastEventId = ''
let retryMs = 1_000
let hiddenTimer: ReturnType<typeof setTimeout> | undefined
let retryTimer: ReturnType<typeof setTimeout> | undefined
let collected = new Set<Topic>()
let isCollecting = false

/** Connects, or moves the connection to another project. Undefined ends it. */
export function connectLive(projectId: string | undefined, loggedIn: boolean): void {
  const query = projectId === undefined ? '' : `?project_id=${encodeURIComponent(projectId)}`
  const wanted = loggedIn ? `/api/v1/live${query}` : ''
  if (wanted === address) return
  address = wanted
  lastEventId = ''
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
  if (address === '' || document.visibilityState === 'hidden') return
  const opened = new EventSource(resumedAddress())
  source = opened
  opened.addEventListener('open', () => {
    // Without a cursor, what changed while the connection was away is unknown.
    if (!isLive.value && lastEventId === '') collect(topics)
    isLive.value = true
    retryMs = 1_000
  })
  opened.addEventListener('changed', (event: MessageEvent<string>) => {
    lastEventId = event.lastEventId
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
  }, pause.begin(performance.now()))
}

function resumedAddress(): string {
  if (lastEventId === '') return address
  const separator = address.includes('?') ? '&' : '?'
  return `${address}${separator}last_event_id=${encodeURIComponent(lastEventId)}`
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiddenTimer)
  if (document.visibilityState === 'hidden') {
    hiddenTimer = setTimeout(() => source?.close(), hiddenMsMax)
  } else if (source === undefined || source.readyState === EventSource.CLOSED) {
    open()
  }
})
