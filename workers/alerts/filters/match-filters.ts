/**
 * Evaluates the filters of alert rules on the events of a range, in the digest thread. It decides
 * about no row, so no plan holds the rules, and a repeated range may use newer ones.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { userHash } from '../../release-health/user-hash.ts'
import {
  type EventFilter,
  needsAllEvents,
  type ProjectsFilters,
  readFilterList,
} from '../alert-rules.ts'
import { compileFilter } from './compile-filter.ts'
import type { Matches } from './compile-query.ts'
import { GroupedEvent, userIdentity } from './event-text.ts'
import {
  type FilterMatch,
  type MatchedEvent,
  matchedMinutesMax,
  matchedReleasesMax,
  matchedUsersMax,
  type PackedMatches,
  packMatches,
} from './filter-match.ts'
import { rangeStepsMax, StepBudget } from './step-budget.ts'

interface CompiledFilter extends EventFilter {
  readonly matches: Matches
  /** Every event is evaluated, not only those before the first match. */
  readonly needsAll: boolean
}

const minuteMs = 60_000
const keptFiltersMax = 20_000
/** By version of the list. Emptied when it is full: compiling takes microseconds. */
const kept = new Map<number, readonly CompiledFilter[]>()
let keptFilters = 0

function compiled(list: ProjectsFilters): readonly CompiledFilter[] {
  const known = kept.get(list.version)
  if (known !== undefined) return known
  const filters = readFilterList(list).map((filter) => ({
    ...filter,
    matches: sharedFilter(filter.filter),
    needsAll: needsAllEvents(filter),
  }))
  keptFilters += filters.length
  if (keptFilters > keptFiltersMax) {
    kept.clear()
    keptFilters = filters.length
  }
  kept.set(list.version, filters)
  return filters
}

const sharedMax = 5_000
/** Many filters of many projects are the same. */
const shared = new Map<string, Matches>()

function sharedFilter(filter: EventFilter['filter']): Matches {
  const key = JSON.stringify(filter)
  const known = shared.get(key)
  if (known !== undefined) return known
  if (shared.size >= sharedMax) shared.clear()
  const matches = compileFilter(filter)
  shared.set(key, matches)
  return matches
}

export class FiltersByProject {
  readonly #lists = new Map<ProjectId, ProjectsFilters>()
  readonly #open = new Map<ProjectId, ProjectFilters>()
  readonly #range = new StepBudget(rangeStepsMax)

  constructor(lists: readonly ProjectsFilters[]) {
    for (const list of lists) {
      for (const projectId of list.projectIds) this.#lists.set(projectId, list)
    }
  }

  /** For a new sum. Undefined if the project has no rules about issues. */
  openSum(projectId: ProjectId): OpenMatches | undefined {
    const known = this.#open.get(projectId)
    if (known !== undefined) return new OpenMatches(known)
    const list = this.#lists.get(projectId)
    if (list === undefined) return undefined
    const filters = new ProjectFilters(projectId, compiled(list), this.#range)
    this.#open.set(projectId, filters)
    return new OpenMatches(filters)
  }

  /** Events that were not evaluated, because the rules of their project take too long. */
  skipped(): number {
    let skipped = 0
    for (const filters of this.#open.values()) skipped += filters.skipped
    return skipped
  }
}

/** The filters of a project during a range. */
class ProjectFilters {
  readonly projectId: ProjectId
  readonly filters: readonly CompiledFilter[]
  readonly budget = new StepBudget()
  readonly rangeBudget: StepBudget
  skipped = 0

  constructor(projectId: ProjectId, filters: readonly CompiledFilter[], rangeBudget: StepBudget) {
    this.projectId = projectId
    this.filters = filters
    this.rangeBudget = rangeBudget
  }
}

interface OpenMatch {
  readonly filter: number
  readonly first: MatchedEvent
  readonly counted: OpenCount | undefined
}

interface OpenCount {
  lastReceivedMs: number
  /** Nearly always one. */
  readonly minutes: [minute: number, count: number][]
  readonly users: Set<number> | undefined
  readonly releases: MatchedEvent[]
}

/** What matches in one sum. */
export class OpenMatches {
  readonly #project: ProjectFilters
  /** By the index of the filter. */
  readonly #found: (OpenMatch | undefined)[] = []
  /** Filters for which a further event may change something. */
  #pending: number

  constructor(project: ProjectFilters) {
    this.#project = project
    this.#pending = project.filters.length
  }

  add(event: NormalizedEvent, grouping: Grouping): void {
    if (this.#pending === 0) return
    const project = this.#project
    const { filters, budget, rangeBudget } = project
    if (budget.isSpent || rangeBudget.isSpent) {
      project.skipped += 1
      return
    }
    const stepsBefore = budget.left
    const found = this.#found
    const grouped = new GroupedEvent(event, grouping)
    let matched: MatchedEvent | undefined
    let user: number | undefined
    for (let index = 0; index < filters.length; index += 1) {
      const filter = filters[index]!
      let match = found[index]
      if (match !== undefined && !filter.needsAll) continue
      if (!filter.matches(grouped, budget)) continue
      // Shared by all matches that begin with this event.
      matched ??= matchedEvent(event)
      if (match === undefined) {
        match = { filter: index, first: matched, counted: openCount(filter) }
        found[index] = match
      }
      const { counted } = match
      if (counted === undefined) {
        this.#pending -= 1
        continue
      }
      counted.lastReceivedMs = Math.max(counted.lastReceivedMs, event.receivedAtMs)
      if (filter.countsEvents) addMinute(counted, event.receivedAtMs)
      if (filter.namesReleases) addRelease(counted, matched)
      if (counted.users !== undefined && counted.users.size < matchedUsersMax) {
        user ??= userHash(project.projectId, userIdentity(event.user))
        if (user !== 0) counted.users.add(user)
      }
    }
    rangeBudget.spend(stepsBefore - budget.left)
  }

  finish(): PackedMatches {
    const matches: FilterMatch[] = []
    for (const match of this.#found) {
      if (match === undefined) continue
      const { filter, first, counted } = match
      if (counted === undefined) matches.push(match as FilterMatch)
      else {
        const users = counted.users === undefined ? noUsers : [...counted.users]
        matches.push({ filter, first, counted: { ...counted, users } })
      }
    }
    return matches.length === 0 ? noMatches : packMatches(matches)
  }
}

const noMatches: PackedMatches = []
const noUsers: readonly number[] = []

function openCount({ needsAll, countsUsers }: CompiledFilter): OpenCount | undefined {
  if (!needsAll) return undefined
  return {
    lastReceivedMs: 0,
    minutes: [],
    users: countsUsers ? new Set() : undefined,
    releases: [],
  }
}

function addMinute({ minutes }: OpenCount, receivedAtMs: number): void {
  const minute = Math.floor(receivedAtMs / minuteMs)
  const last = minutes.at(-1)
  const known = last?.[0] === minute ? last : minutes.find(([counted]) => counted === minute)
  if (known !== undefined) known[1] += 1
  else if (last === undefined || minutes.length < matchedMinutesMax) minutes.push([minute, 1])
  else last[1] += 1
}

function addRelease({ releases }: OpenCount, matched: MatchedEvent): void {
  const { release } = matched
  if (release === '' || releases.length >= matchedReleasesMax) return
  for (const known of releases) if (known.release === release) return
  releases.push(matched)
}

function matchedEvent({ eventId, release, environment }: NormalizedEvent): MatchedEvent {
  return { eventId, release, environment }
}
