/**
 * Lists issues with an event that matches, without reading all events of the project: Postgres
 * lists issues in their order, and ClickHouse says which of them match, until the page is full.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ApiContext } from '../../context.ts'
import type { EventFilter } from '../../events/event-store.ts'
import {
  hasUnlistedHashes,
  type IssueFilter,
  listIssues,
  type StoredIssue,
  type StoredSort,
} from '../issue-store.ts'
import { type EventSpan, matchingFingerprints } from './fingerprint-store.ts'

interface MatchingList {
  readonly projectId: ProjectId
  readonly filter: IssueFilter
  readonly events: EventFilter
  readonly sort: StoredSort
  readonly after: readonly [position: string | number, id: string] | undefined
  readonly limit: number
}

/** Issues of one step, as many as their hashes fit into one query. */
const stepIssues = 150
const stepsMax = 6
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Most issues that match have a matching event of the last hours or days, which are read first. */
const spansMs = [8 * hourMs, 2 * dayMs, 14 * dayMs] as const
/** A period up to this length is searched for all issues, unless the last hours fill the page. */
const shortMs = 31 * dayMs
/** Events that are read within a longer period; every event counts on one issue. */
const eventsMax = 400_000
const hashesMax = 300
/** Matches are rare if fewer than this part of a page is among the first issues. */
const rareDivisor = 5

/**
 * Undefined if few issues match, because it is faster then to look for their events first, or if
 * one of them has more hashes than are listed.
 */
export async function listMatching(
  ctx: ApiContext,
  list: MatchingList,
): Promise<StoredIssue[] | undefined> {
  const { since } = list.events
  const nowMs = ctx.clock.nowMs()
  const sinceMs = since === undefined ? 0 : Date.parse(since)
  const isShort = nowMs - sinceMs <= shortMs
  // The period of a list of 14 days began up to a minute before.
  const starts = [
    ...(isShort ? spansMs.slice(0, 1) : spansMs)
      .map((ms) => nowMs - ms)
      .filter((ms) => ms > sinceMs + dayMs),
    undefined,
  ]
  const found: StoredIssue[] = []
  let after = list.after
  let eventsLeft = eventsMax
  for (let step = 0; step < stepsMax; step += 1) {
    const issues = await listIssues(ctx.pg, { ...list, after, limit: stepIssues })
    if (issues.some(hasUnlistedHashes)) return undefined
    const missing = list.limit - found.length
    const known = new Set<string>()
    let beforeMs: number | undefined
    for (const startMs of starts) {
      const unknown = undecided(issues, known, missing)
      if (startMs === undefined && isShort) {
        const isFull = known.size >= missing || issues.length < stepIssues
        if (!isFull) return undefined
      } else if (startMs === undefined) {
        eventsLeft -= unknown.reduce((sum, { count }) => sum + count, 0)
        if (eventsLeft < 0) return undefined
      }
      for (const id of await matching(ctx, list, unknown, { startMs, beforeMs })) known.add(id)
      // The events of these issues since then did not match.
      beforeMs = startMs
      // Steps that read all days one by one would read more than one search for all issues.
      const isRare = known.size < list.limit / rareDivisor
      if (step === 0 && issues.length === stepIssues && isRare) return undefined
    }
    found.push(...issues.filter(({ id }) => known.has(id)).slice(0, missing))
    if (found.length >= list.limit || issues.length < stepIssues) return found
    const isFullInTime = (found.length / (step + 1)) * stepsMax >= list.limit
    if (!isFullInTime) return undefined
    const last = issues.at(-1)!
    after = [last.position, last.id]
  }
  return undefined
}

/** The issues that may still come before the last one of the page. */
function undecided(
  issues: readonly StoredIssue[],
  matching: ReadonlySet<string>,
  missing: number,
): StoredIssue[] {
  let matches = 0
  return issues.filter(({ id }) => {
    const isKnown = matching.has(id)
    const isBeforeEnd = matches < missing
    if (isKnown) matches += 1
    return !isKnown && isBeforeEnd
  })
}

/** The ids of the issues with an event that matches. */
async function matching(
  ctx: ApiContext,
  { projectId, events }: MatchingList,
  issues: readonly StoredIssue[],
  span: EventSpan,
): Promise<Set<string>> {
  const hashes = issues.flatMap((issue) => issue.hashes)
  const lists = Array.from({ length: Math.ceil(hashes.length / hashesMax) }, (_, index) =>
    hashes.slice(index * hashesMax, (index + 1) * hashesMax),
  )
  const sets = await Promise.all(
    lists.map((part) =>
      matchingFingerprints(ctx.clickhouse, { projectId, filter: events, hashes: part, span }),
    ),
  )
  const isMatching = (hash: string) => sets.some((set) => set.has(hash))
  return new Set(issues.filter((issue) => issue.hashes.some(isMatching)).map(({ id }) => id))
}
