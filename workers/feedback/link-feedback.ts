/**
 * Finds the events that feedback refers to. Either may arrive first, and on another partition, so a
 * worker searches with growing intervals until the event is there or can no longer arrive. Fields
 * that the client left empty (release, environment, page) are filled from the event.
 */
import type { Clock } from '#platform/clock.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { pathOf } from './parse-feedback.ts'

export interface AwaitedEvent {
  readonly projectId: ProjectId
  /** Id of the feedback. */
  readonly id: string
  readonly eventId: string
  readonly createdAtMs: number
}

export interface LinkedEvent {
  readonly projectId: ProjectId
  readonly eventId: string
  /** The event's first grouping hash. */
  readonly hash: string
  readonly version: string
  readonly environment: string
  readonly url: string
}

export interface Link extends AwaitedEvent {
  readonly hash: string
  readonly version: string | null
  readonly environment: string | null
  readonly path: string | null
}

export interface FeedbackLinks {
  awaited(due: {
    readonly nowMs: number
    readonly rowsMax: number
  }): Promise<readonly AwaitedEvent[]>
  find(awaited: readonly AwaitedEvent[]): Promise<readonly LinkedEvent[]>
  link(links: readonly Link[]): Promise<void>
  /** `searchAtMs` is null when the search ends without a result. */
  later(
    rows: readonly {
      readonly projectId: ProjectId
      readonly id: string
      readonly searchAtMs: number | null
    }[],
  ): Promise<void>
}

const rowsPerLookMax = 500
const looksMax = 20
const waitMinMs = 10_000
/**
 * A phone that was offline sends its events when it is online again, at the latest after this time.
 */
const searchMaxMs = 30 * 86_400_000

export async function linkFeedbackToEvents(store: FeedbackLinks, clock: Clock): Promise<void> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const nowMs = clock.nowMs()
    const awaited = await store.awaited({ nowMs, rowsMax: rowsPerLookMax })
    if (awaited.length === 0) return
    const events = new Map((await store.find(awaited)).map((event) => [nameOf(event), event]))
    const links: Link[] = []
    const later: { projectId: ProjectId; id: string; searchAtMs: number | null }[] = []
    for (const row of awaited) {
      const event = events.get(nameOf(row))
      if (event === undefined) {
        later.push({ projectId: row.projectId, id: row.id, searchAtMs: nextLookMs(row, nowMs) })
        continue
      }
      const { hash, version, environment, url } = event
      links.push({
        ...row,
        hash,
        version: version || null,
        environment: environment || null,
        path: pathOf(url) || null,
      })
    }
    if (links.length > 0) await store.link(links)
    if (later.length > 0) await store.later(later)
    if (awaited.length < rowsPerLookMax) return
  }
}

/** The interval equals the time waited so far: few searches find most events with a small delay. */
function nextLookMs({ createdAtMs }: AwaitedEvent, nowMs: number): number | null {
  const ageMs = Math.max(0, nowMs - createdAtMs)
  return ageMs > searchMaxMs ? null : nowMs + Math.max(waitMinMs, ageMs)
}

function nameOf({ projectId, eventId }: { projectId: ProjectId; eventId: string }): string {
  return `${projectId} ${eventId}`
}
