/**
 * Evaluates the filters of alert rules on the events of a range, in the digest thread. It decides
 * about no row, so no plan holds the rules, and a repeated range may use newer ones.
 */
import { PooledSteps, StepPool } from '#platform/text/step-pool.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { userHash } from '../../release-health/user-hash.ts'
import { type EventFilter, type ProjectsFilters, readFilterList } from '../alert-rules.ts'
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
import { alertPoolSteps, alertShare, conditionSteps, userSteps } from './step-budget.ts'

/**
 * The filters of a list, side by side: a range has events of many projects, so that most of what is
 * read here has to come from main memory.
 */
interface CompiledFilters {
  readonly matches: readonly Matches[]
  /** What is needed of every event that matches; 0 if the first one is enough. */
  readonly needs: readonly number[]
  /** Of all rules that have the filter. */
  readonly conditions: readonly number[]
}

const needsMinutes = 1
const needsUsers = 2
const needsReleases = 4

function needsOf({ countsEvents, countsUsers, namesReleases }: EventFilter): number {
  return (
    (countsEvents ? needsMinutes : 0) |
    (countsUsers ? needsUsers : 0) |
    (namesReleases ? needsReleases : 0)
  )
}

const minuteMs = 60_000
const keptFiltersMax = 20_000
/** By version of the list. Emptied when it is full: compiling takes microseconds. */
const kept = new Map<number, CompiledFilters>()
let keptFilters = 0

function compiled(list: ProjectsFilters): CompiledFilters {
  const known = kept.get(list.version)
  if (known !== undefined) return known
  const read = readFilterList(list)
  keptFilters += read.length
  if (keptFilters > keptFiltersMax) {
    kept.clear()
    keptFilters = read.length
  }
  const matches = read.map(({ filter }) => sharedFilter(filter))
  const conditions = read.map((filter) => filter.conditions)
  const filters = { matches, needs: read.map(needsOf), conditions }
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
  readonly #pool = new StepPool(alertPoolSteps)

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
    const filters = new ProjectFilters(projectId, compiled(list), this.#pool)
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
  readonly filters: CompiledFilters
  readonly budget: PooledSteps
  skipped = 0

  constructor(projectId: ProjectId, filters: CompiledFilters, pool: StepPool) {
    this.projectId = projectId
    this.filters = filters
    this.budget = new PooledSteps(pool, alertShare)
  }
}

/**
 * A match whose events are counted. Thousands live until the end of a range, and nearly all have
 * one minute, one release and few users, so that lists are made for a second one only.
 */
interface OpenCount {
  readonly first: MatchedEvent
  lastReceivedMs: number
  minute: number
  minuteCount: number
  otherMinutes: Map<number, number> | undefined
  /** 0: none yet. */
  user: number
  otherUsers: Set<number> | undefined
  /** The first event that names a release. */
  release: MatchedEvent | undefined
  otherReleases: MatchedEvent[] | undefined
}

/** What matches in one sum. */
export class OpenMatches {
  readonly #project: ProjectFilters
  /** By the index of the filter. The event alone if one is enough. */
  readonly #found: (MatchedEvent | OpenCount | undefined)[] = []
  /** Filters for which a further event may change something. */
  #pending: number

  constructor(project: ProjectFilters) {
    this.#project = project
    this.#pending = project.filters.matches.length
  }

  add(event: NormalizedEvent, grouping: Grouping): void {
    if (this.#pending === 0) return
    const project = this.#project
    const { filters, budget } = project
    const { matches, needs, conditions } = filters
    if (budget.isSpent) {
      project.skipped += 1
      return
    }
    const found = this.#found
    const grouped = new GroupedEvent(event, grouping)
    let matched: MatchedEvent | undefined
    let user: number | undefined
    for (let index = 0; index < matches.length; index += 1) {
      const needed = needs[index]!
      const known = found[index]
      if (known !== undefined && needed === 0) continue
      if (!matches[index]!(grouped, budget)) continue
      // Shared by all matches that begin with this event.
      matched ??= matchedEvent(event)
      if (known === undefined) budget.spend(conditions[index]! * conditionSteps)
      if (needed === 0) {
        found[index] = matched
        this.#pending -= 1
        continue
      }
      const open = (known as OpenCount | undefined) ?? openCount(matched)
      if (known === undefined) found[index] = open
      open.lastReceivedMs = Math.max(open.lastReceivedMs, event.receivedAtMs)
      if ((needed & needsMinutes) !== 0) addMinute(open, event.receivedAtMs)
      if ((needed & needsReleases) !== 0 && addRelease(open, matched)) {
        budget.spend(conditions[index]! * conditionSteps)
      }
      if ((needed & needsUsers) !== 0 && 1 + (open.otherUsers?.size ?? 0) < matchedUsersMax) {
        user ??= userHash(project.projectId, userIdentity(event.user))
        if (addUser(open, user)) budget.spend(conditions[index]! * userSteps)
      }
    }
  }

  finish(): PackedMatches {
    const { needs } = this.#project.filters
    const matches: FilterMatch[] = []
    for (const [filter, found] of this.#found.entries()) {
      if (found === undefined) continue
      matches.push(
        needs[filter] !== 0
          ? finishCount(filter, found as OpenCount)
          : { filter, first: found as MatchedEvent },
      )
    }
    return matches.length === 0 ? noMatches : packMatches(matches)
  }
}

const noMatches: PackedMatches = []

function openCount(first: MatchedEvent): OpenCount {
  return {
    first,
    lastReceivedMs: 0,
    minute: 0,
    minuteCount: 0,
    otherMinutes: undefined,
    user: 0,
    otherUsers: undefined,
    release: undefined,
    otherReleases: undefined,
  }
}

function addMinute(open: OpenCount, receivedAtMs: number): void {
  const minute = Math.floor(receivedAtMs / minuteMs)
  if (open.minuteCount === 0) open.minute = minute
  if (open.minute === minute) {
    open.minuteCount += 1
    return
  }
  open.otherMinutes ??= new Map()
  const { otherMinutes } = open
  const isFull = 1 + otherMinutes.size >= matchedMinutesMax
  const counted = !isFull || otherMinutes.has(minute) ? minute : [...otherMinutes.keys()].at(-1)!
  otherMinutes.set(counted, (otherMinutes.get(counted) ?? 0) + 1)
}

/** Returns whether the user is a further one. */
function addUser(open: OpenCount, user: number): boolean {
  if (user === 0 || user === open.user) return false
  if (open.user === 0) {
    open.user = user
    return true
  }
  open.otherUsers ??= new Set()
  const { size } = open.otherUsers
  return open.otherUsers.add(user).size > size
}

/** Returns whether the release is a further one. */
function addRelease(open: OpenCount, matched: MatchedEvent): boolean {
  const { release } = matched
  if (release === '' || release === open.release?.release) return false
  if (open.release === undefined) {
    open.release = matched
    return true
  }
  open.otherReleases ??= []
  if (1 + open.otherReleases.length >= matchedReleasesMax) return false
  for (const known of open.otherReleases) if (known.release === release) return false
  open.otherReleases.push(matched)
  return true
}

function finishCount(filter: number, open: OpenCount): FilterMatch {
  const { first, lastReceivedMs, minute, minuteCount, user, release } = open
  return {
    filter,
    first,
    counted: {
      lastReceivedMs,
      minutes: minuteCount === 0 ? [] : [[minute, minuteCount], ...(open.otherMinutes ?? [])],
      users: user === 0 ? [] : [user, ...(open.otherUsers ?? [])],
      releases: release === undefined ? [] : [release, ...(open.otherReleases ?? [])],
    },
  }
}

function matchedEvent({ eventId, release, environment }: NormalizedEvent): MatchedEvent {
  return { eventId, release, environment }
}
