/**
 * Evaluates the filters of alert rules on the events of a range, in the digest thread. It decides
 * about no row, so no plan holds the rules, and a repeated range may use newer ones.
 */
import { PooledSteps, StepPool } from '#platform/text/step-pool.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { userHash } from '../../release-health/user-hash.ts'
import { type AlertRules, type RuleFilter, readFilters } from '../alert-rules.ts'
import { compileFilter } from './compile-filter.ts'
import type { Matches } from './compile-query.ts'
import { userIdentity } from './event-text.ts'
import {
  type CountedEvents,
  type FilterMatch,
  type MatchedEvent,
  matchedMinutesMax,
  matchedReleasesMax,
  matchedUsersMax,
} from './filter-match.ts'
import { alertPoolSteps, alertShare, conditionSteps, userSteps } from './step-budget.ts'

interface CompiledFilter extends RuleFilter {
  readonly matches: Matches
  /** Every event is evaluated, not only those before the first match. */
  readonly needsAll: boolean
  /** Of all of its rules. */
  readonly conditions: number
}

const minuteMs = 60_000
const keptFiltersMax = 20_000
/** By version of the rules. Emptied when it is full: compiling takes microseconds. */
const kept = new Map<number, readonly CompiledFilter[]>()
let keptFilters = 0

function compiled(rules: AlertRules): readonly CompiledFilter[] {
  const known = kept.get(rules.version)
  if (known !== undefined) return known
  const filters = readFilters(rules).map((filter) => ({
    ...filter,
    matches: sharedFilter(filter.filter),
    needsAll: filter.countsEvents || filter.namesReleases,
    conditions: filter.rules.reduce((sum, { when }) => sum + when.length, 0),
  }))
  keptFilters += filters.length
  if (keptFilters > keptFiltersMax) {
    kept.clear()
    keptFilters = filters.length
  }
  kept.set(rules.version, filters)
  return filters
}

const sharedMax = 5_000
/** Many rules of many projects have one filter, such as those that projects begin with. */
const shared = new Map<string, Matches>()

function sharedFilter(filter: RuleFilter['filter']): Matches {
  const key = JSON.stringify(filter)
  const known = shared.get(key)
  if (known !== undefined) return known
  if (shared.size >= sharedMax) shared.clear()
  const matches = compileFilter(filter)
  shared.set(key, matches)
  return matches
}

interface OpenCount {
  count: number
  lastReceivedMs: number
  /** Nearly always one. */
  readonly minutes: [minute: number, count: number][]
  /** Made when it is needed: most sums have one event. */
  users: Set<number> | undefined
  readonly releases: MatchedEvent[]
}

interface OpenMatch {
  readonly filter: number
  readonly first: MatchedEvent
  readonly counted: OpenCount | undefined
}

/** Matches of one sum, by the index of the filter. */
export type OpenMatches = (OpenMatch | undefined)[]

export class FiltersByProject {
  readonly #rules: ReadonlyMap<ProjectId, AlertRules>
  readonly #open = new Map<ProjectId, ProjectFilters>()
  readonly #pool = new StepPool(alertPoolSteps)

  constructor(rules: readonly AlertRules[]) {
    this.#rules = new Map(rules.map((each) => [each.projectId, each]))
  }

  /** Undefined if the project has no rules about issues. */
  of(projectId: ProjectId): ProjectFilters | undefined {
    const known = this.#open.get(projectId)
    if (known !== undefined) return known
    const rules = this.#rules.get(projectId)
    if (rules === undefined) return undefined
    const filters = new ProjectFilters(projectId, compiled(rules), this.#pool)
    this.#open.set(projectId, filters)
    return filters
  }

  /** Events that were not evaluated, because the rules of their project take too long. */
  skipped(): number {
    let skipped = 0
    for (const filters of this.#open.values()) skipped += filters.skipped
    return skipped
  }
}

export class ProjectFilters {
  readonly #projectId: ProjectId
  readonly #filters: readonly CompiledFilter[]
  readonly #budget: PooledSteps
  skipped = 0

  constructor(projectId: ProjectId, filters: readonly CompiledFilter[], pool: StepPool) {
    this.#projectId = projectId
    this.#filters = filters
    this.#budget = new PooledSteps(pool, alertShare)
  }

  /** Adds what the event changes to the matches of its sum. */
  add(open: OpenMatches, event: NormalizedEvent, grouping: Grouping): void {
    if (this.#budget.isSpent) {
      this.skipped += 1
      return
    }
    const grouped = { event, grouping }
    let matched: MatchedEvent | undefined
    for (let index = 0; index < this.#filters.length; index += 1) {
      const filter = this.#filters[index]!
      const known = open[index]
      if (known !== undefined && !filter.needsAll) continue
      if (!filter.matches(grouped, this.#budget)) continue
      // Shared by all matches that begin with this event, so that it is copied once.
      matched ??= matchedEvent(event)
      const match = known ?? {
        filter: index,
        first: matched,
        counted: filter.needsAll ? openCount() : undefined,
      }
      if (known === undefined) {
        open[index] = match
        this.#budget.spend(filter.conditions * conditionSteps)
      }
      if (match.counted !== undefined) this.#count(filter, match.counted, event, matched)
    }
  }

  #count(filter: CompiledFilter, open: OpenCount, event: NormalizedEvent, matched: MatchedEvent) {
    const { receivedAtMs, user, release } = event
    open.count += 1
    open.lastReceivedMs = Math.max(open.lastReceivedMs, receivedAtMs)
    if (filter.countsEvents) {
      const minute = Math.floor(receivedAtMs / minuteMs)
      const last = open.minutes.at(-1)
      const known =
        last?.[0] === minute ? last : open.minutes.find(([counted]) => counted === minute)
      if (known !== undefined) known[1] += 1
      else if (last === undefined || open.minutes.length < matchedMinutesMax) {
        open.minutes.push([minute, 1])
      } else last[1] += 1
    }
    if (filter.countsUsers && (open.users?.size ?? 0) < matchedUsersMax) {
      const hash = userHash(this.#projectId, userIdentity(user))
      if (hash !== 0) {
        open.users ??= new Set()
        if (!open.users.has(hash)) this.#budget.spend(filter.conditions * userSteps)
        open.users.add(hash)
      }
    }
    if (
      filter.namesReleases &&
      release !== '' &&
      open.releases.length < matchedReleasesMax &&
      open.releases.every((known) => known.release !== release)
    ) {
      this.#budget.spend(filter.conditions * conditionSteps)
      open.releases.push(matched)
    }
  }
}

export function finishMatches(open: OpenMatches): readonly FilterMatch[] {
  const matches: FilterMatch[] = []
  for (const match of open) {
    if (match === undefined) continue
    const { filter, first, counted } = match
    // Most need no count and are complete, so that nothing is copied.
    if (counted === undefined) matches.push(match as FilterMatch)
    else matches.push({ filter, first, counted: finishCount(counted) })
  }
  return matches
}

function finishCount(open: OpenCount): CountedEvents {
  const { count, lastReceivedMs, minutes, users, releases } = open
  return {
    count,
    lastReceivedMs,
    minutes,
    users: users === undefined ? noUsers : [...users],
    releases,
  }
}

const noUsers: readonly number[] = []

function openCount(): OpenCount {
  return {
    count: 0,
    lastReceivedMs: 0,
    minutes: [],
    users: undefined,
    releases: [],
  }
}

function matchedEvent({ eventId, release, environment }: NormalizedEvent): MatchedEvent {
  return { eventId, release, environment }
}
