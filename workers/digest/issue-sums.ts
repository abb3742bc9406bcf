/**
 * Sums what a range adds to issues and releases, by project and first grouping hash. The commit
 * decides later which issue owns the hash, so threads need no database.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { type StoredText, storedJson, storedText } from '#schemas/stored-text.ts'
import type { PackedMatches } from '../alerts/filters/filter-match.ts'
import type { FiltersByProject, OpenMatches } from '../alerts/filters/match-filters.ts'
import type { Grouping, GroupingExplanation, GroupingHash } from '../grouping/grouping.ts'
import type { Level, NormalizedEvent } from '../normalize/event.ts'
import { ProjectMap } from '../rows/project-map.ts'

export interface IssueSum {
  readonly projectId: ProjectId
  /**
   * The first hash decides the issue; further ones are attached to it when no issue owns them yet.
   */
  readonly hashes: readonly GroupingHash[]
  readonly eventCount: number
  /** Number of these events without a row of their own; their ids are in a sample row. */
  readonly sampledCount: number
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly lastReceivedMs: number
  /** Number of these events received in the UTC hour of `lastReceivedMs`. */
  readonly hourCount: number
  /** The releases that the events name: the first `releasesPerSumMax` of the range. */
  readonly releases: readonly ReleaseReceipt[]
  /** Hashes of the users, in projects that count them; at most `usersPerSumMax`. */
  readonly users: readonly number[]
  /** Names of the owners of the first event by the project's rules, the first one that exists. */
  readonly owners: readonly StoredText[]
  /** Events that match the filters of alert rules. */
  readonly matches: PackedMatches
  readonly firstRelease: StoredText
  readonly lastRelease: StoredText
  /** Title of the latest event, because an outdated title would mislead. */
  readonly title: StoredText
  readonly culprit: StoredText
  readonly level: Level
  readonly platform: StoredText
  /** JSON text of a `GroupingExplanation`. */
  readonly explanation: StoredText
  /** Used when issues of this kind come in bursts. */
  readonly coarse: {
    readonly kind: StoredText
    readonly hash: string
    /** JSON text of a `GroupingExplanation`. */
    readonly explanation: StoredText
  }
}

/** A resolved issue regresses by releases whose events were received after the resolution. */
export interface ReleaseReceipt {
  /** Empty for events without a release. */
  readonly version: StoredText
  readonly lastReceivedMs: number
}

export interface ReleaseSum {
  readonly projectId: ProjectId
  readonly version: StoredText
  readonly eventCount: number
  readonly firstEventMs: number
  readonly lastEventMs: number
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Maximum number of hashes that one issue gains in one range. */
const hashesPerSumMax = 64
/** Further releases of a range are not considered; events of the next range name them again. */
export const releasesPerSumMax = 32
export const usersPerSumMax = 1_000
const msPerHour = 3_600_000
const noMatches: PackedMatches = []

/** Hours since 1970. */
export function receivedHour(receivedAtMs: number): number {
  return Math.floor(receivedAtMs / msPerHour)
}

type Named = 'title' | 'culprit' | 'platform'
/** A sum that still grows, with the names of the latest event before they are cleaned. */
type OpenSum = Omit<Mutable<IssueSum>, Named | 'hashes' | 'releases' | 'users' | 'matches'> &
  Record<Named, string> & {
    hashes: GroupingHash[]
    releases: Mutable<ReleaseReceipt>[]
    users: Set<number>
    /** Undefined if the project has no alert rules about issues. */
    matches: OpenMatches | undefined
  }

/** What is known of an event beside itself. */
export interface SumContext {
  /** 1 for an event that gets no row of its own. */
  readonly sampled: 0 | 1
  /** Undefined if the users of the project are not counted, or the event has none. */
  readonly user?: number | undefined
  /** Called for the first event of each sum. */
  readonly owners?: () => readonly StoredText[]
}

export class IssueSums {
  readonly #issues = new ProjectMap<OpenSum>()
  readonly #releases = new ProjectMap<Mutable<ReleaseSum>>()
  readonly #filters: FiltersByProject

  constructor(filters: FiltersByProject) {
    this.#filters = filters
  }

  add(projectId: ProjectId, event: NormalizedEvent, grouping: Grouping, context: SumContext): void {
    this.#addToIssue(projectId, event, grouping, context)
    if (event.release !== '') this.#addToRelease(projectId, event)
  }

  issues(): IssueSum[] {
    return this.#issues.all.map((sum) => ({
      ...sum,
      title: storedText(sum.title),
      culprit: storedText(sum.culprit),
      platform: storedText(sum.platform),
      users: [...sum.users],
      matches: sum.matches?.finish() ?? noMatches,
    }))
  }

  releases(): ReleaseSum[] {
    return this.#releases.all
  }

  #addToIssue(
    projectId: ProjectId,
    event: NormalizedEvent,
    grouping: Grouping,
    { sampled, user, owners }: SumContext,
  ): void {
    const { hash } = grouping.hashes[0]
    const sum = this.#issues.get(projectId, hash)
    if (sum === undefined) {
      const matches = this.#filters.openSum(projectId)
      this.#issues.add(projectId, hash, {
        projectId,
        hashes: [...grouping.hashes],
        eventCount: 1,
        sampledCount: sampled,
        firstSeenMs: event.occurredAtMs,
        lastSeenMs: event.occurredAtMs,
        lastReceivedMs: event.receivedAtMs,
        hourCount: 1,
        releases: [{ version: event.release, lastReceivedMs: event.receivedAtMs }],
        users: new Set(user === undefined ? [] : [user]),
        owners: owners?.() ?? [],
        firstRelease: event.release,
        lastRelease: event.release,
        title: grouping.title,
        culprit: grouping.culprit,
        level: event.level,
        platform: event.platform,
        explanation: textOf(grouping.explain()),
        coarse: coarseOf(grouping),
        matches,
      })
      matches?.add(event, grouping)
      return
    }
    sum.eventCount += 1
    sum.sampledCount += sampled
    addReceipt(sum, event)
    if (user !== undefined && sum.users.size < usersPerSumMax) sum.users.add(user)
    sum.matches?.add(event, grouping)
    if (event.occurredAtMs < sum.firstSeenMs) {
      sum.firstSeenMs = event.occurredAtMs
      if (event.release !== '') sum.firstRelease = event.release
    }
    if (event.occurredAtMs >= sum.lastSeenMs) {
      sum.lastSeenMs = event.occurredAtMs
      if (event.release !== '') sum.lastRelease = event.release
      sum.title = grouping.title
      sum.culprit = grouping.culprit
      sum.level = event.level
      sum.platform = event.platform
    }
    for (let index = 1; index < grouping.hashes.length; index += 1) {
      const hash = grouping.hashes[index]
      if (hash === undefined || sum.hashes.length >= hashesPerSumMax) break
      if (!sum.hashes.some((known) => known.hash === hash.hash)) sum.hashes.push(hash)
    }
  }

  #addToRelease(projectId: ProjectId, event: NormalizedEvent): void {
    const { release: version } = event
    const sum = this.#releases.get(projectId, version)
    if (sum === undefined) {
      this.#releases.add(projectId, version, {
        projectId,
        version,
        eventCount: 1,
        firstEventMs: event.occurredAtMs,
        lastEventMs: event.occurredAtMs,
      })
      return
    }
    sum.eventCount += 1
    sum.firstEventMs = Math.min(sum.firstEventMs, event.occurredAtMs)
    sum.lastEventMs = Math.max(sum.lastEventMs, event.occurredAtMs)
  }
}

function addReceipt(sum: OpenSum, { release, receivedAtMs }: NormalizedEvent): void {
  const hour = receivedHour(receivedAtMs)
  const lastHour = receivedHour(sum.lastReceivedMs)
  if (hour === lastHour) sum.hourCount += 1
  else if (hour > lastHour) sum.hourCount = 1
  sum.lastReceivedMs = Math.max(sum.lastReceivedMs, receivedAtMs)
  const known = sum.releases.find(({ version }) => version === release)
  if (known !== undefined) known.lastReceivedMs = Math.max(known.lastReceivedMs, receivedAtMs)
  else if (sum.releases.length < releasesPerSumMax) {
    sum.releases.push({ version: release, lastReceivedMs: receivedAtMs })
  }
}

/** Explanations of one stack are the same object. */
const texts = new WeakMap<GroupingExplanation, StoredText>()

function textOf(explanation: GroupingExplanation): StoredText {
  const known = texts.get(explanation)
  if (known !== undefined) return known
  const text = storedJson(explanation)
  texts.set(explanation, text)
  return text
}

function coarseOf(grouping: Grouping): IssueSum['coarse'] {
  const coarse = grouping.coarsen()
  const explanation = storedJson(coarse.explain())
  return { kind: storedText(grouping.kind()), hash: coarse.hashes[0].hash, explanation }
}
