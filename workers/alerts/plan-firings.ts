/**
 * Decides from the result of a commit which rules fire about which issues, and which rules have
 * events and users to count. A pure function; what it returns is checked against a cooldown, and
 * written, by commit-alerts.ts.
 */
import { stepSecondsOf } from '#schemas/alerts/alert-threshold.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueChange } from '../commit/assign-issues.ts'
import type { SettledStates } from '../issue-states/settled-states.ts'
import {
  type IssueCondition,
  type IssueRule,
  needsAllEvents,
  type RuleFilter,
} from './alert-rules.ts'
import { BoundedFirings } from './bounded-firings.ts'
import {
  type CountedEvents,
  type FilterMatch,
  type MatchedEvent,
  unpackMatches,
} from './filters/filter-match.ts'
import type { IssueFiring } from './firing.ts'

type CountCondition = Extract<IssueCondition, { type: 'event_count' | 'user_count' }>

/** A rule and an issue of which matching events were received. */
export interface RuleIssue {
  readonly rule: IssueRule
  readonly projectId: ProjectId
  readonly issueId: string
  readonly isNew: boolean
  /** Number of all events of the issue in the range, an upper bound. */
  readonly first: MatchedEvent
  readonly counted: CountedEvents | undefined
  readonly atMs: number
}

/** Something to note, and to fire about unless the state of the issue has made the rule fire. */
interface Check extends RuleIssue {
  readonly isTold: boolean
}

export interface CountCheck extends Check {
  readonly condition: CountCondition
}

export interface ReleaseCheck extends Check {
  readonly seen: MatchedEvent
}

export interface AlertPlan {
  /** Because of the states of issues. */
  readonly firings: BoundedFirings
  readonly counts: readonly CountCheck[]
  readonly releases: readonly ReleaseCheck[]
}

/**
 * @param filtersOf the filters of the rules that the range was digested with. @param commit names
 * the commit, the same for every attempt.
 */
export function planFirings(
  settled: SettledStates,
  filtersOf: (projectId: ProjectId) => readonly RuleFilter[],
  commit: string,
): AlertPlan {
  const firings = new BoundedFirings(commit)
  const counts: CountCheck[] = []
  const releases: ReleaseCheck[] = []
  for (const change of settled.changes) {
    if (change.sum.matches.length === 0) continue
    const filters = filtersOf(change.sum.projectId)
    // Most issues have not changed their state, and rules that count are few.
    if (!hasNewState(change, settled) && !filters.some(needsAllEvents)) continue
    for (const match of joinMatches(unpackMatches(change.sum.matches))) {
      for (const rule of filters[match.filter]?.rules ?? []) {
        const touched = ruleIssueOf(rule, change, match)
        const firing = stateFiring(touched, settled, commit)
        const isTold = firing !== undefined
        if (isTold) firings.add(firing)
        for (const condition of rule.when) {
          if (condition.type === 'event_count' || condition.type === 'user_count') {
            if (match.counted !== undefined) counts.push({ ...touched, condition, isTold })
          } else if (condition.type === 'first_in_release') {
            for (const seen of match.counted?.releases ?? []) {
              releases.push({ ...touched, seen, isTold })
            }
          }
        }
      }
    }
  }
  return { firings, counts, releases }
}

function hasNewState({ issueId, isNew }: IssueChange, settled: SettledStates): boolean {
  const { regressed, returned, escalated } = settled
  return isNew || regressed.has(issueId) || returned.has(issueId) || escalated.has(issueId)
}

function ruleIssueOf(
  rule: IssueRule,
  { issueId, isNew, sum }: IssueChange,
  { first, counted }: FilterMatch,
): RuleIssue {
  const { projectId, lastReceivedMs } = sum
  const atMs = counted?.lastReceivedMs ?? lastReceivedMs
  return { rule, projectId, issueId, isNew, first, counted, atMs }
}

/** The first condition of the rule that the new state of the issue fulfils. */
function stateFiring(
  touched: RuleIssue,
  settled: SettledStates,
  commit: string,
): IssueFiring | undefined {
  const { rule, issueId, isNew, first } = touched
  const has = (type: IssueCondition['type']) => rule.when.some((each) => each.type === type)
  if (isNew && has('new_issue')) {
    return firingOf(touched, first, {
      type: 'new_issue',
      reason: 'This error was seen for the first time.',
      cause: `new:${issueId}`,
    })
  }
  const regression = settled.regressed.get(issueId)
  if (regression !== undefined && has('regression')) {
    const { release } = regression
    const where = release === null ? 'it happens again' : `release ${release} has it again`
    return firingOf(touched, first, {
      type: 'regression',
      reason: `This issue was resolved, and ${where}.`,
      cause: `regression:${issueId}:${commit}`,
    })
  }
  if (settled.returned.has(issueId) && has('regression')) {
    return firingOf(touched, first, {
      type: 'regression',
      reason: 'This issue was ignored, and what it was ignored for is over.',
      cause: `returned:${issueId}:${commit}`,
    })
  }
  const escalation = settled.escalated.get(issueId)
  if (escalation !== undefined && has('escalation')) {
    const { hour, count, expected, limit } = escalation
    return firingOf(touched, first, {
      type: 'escalation',
      reason: `${count} events since ${hour.slice(11, 16)} UTC, where ${expected} an hour are usual and more than ${limit} are too many.`,
      cause: `escalation:${issueId}:${commit}`,
      numbers: { hour, count, expected, limit },
    })
  }
  return undefined
}

export function firingOf(
  { rule, projectId, issueId, atMs }: RuleIssue,
  event: MatchedEvent,
  {
    type,
    reason,
    cause,
    numbers,
  }: Pick<IssueFiring, 'type' | 'reason' | 'cause'> & Pick<IssueFiring['data'], 'numbers'>,
): IssueFiring {
  const { eventId, release, environment } = event
  return {
    ruleId: rule.id,
    projectId,
    issueId,
    type,
    eventId,
    reason,
    data: {
      event: { release: release || null, environment: environment || null },
      ...(numbers === undefined ? {} : { numbers }),
    },
    cause,
    atMs,
  }
}

/** Several sums of a range may belong to one issue. */
function joinMatches(matches: readonly FilterMatch[]): readonly FilterMatch[] {
  const joined = new Map<number, FilterMatch>()
  for (const match of matches) {
    const known = joined.get(match.filter)
    joined.set(match.filter, known === undefined ? match : joinTwo(known, match))
  }
  return joined.size === matches.length ? matches : [...joined.values()]
}

function joinTwo(a: FilterMatch, b: FilterMatch): FilterMatch {
  if (a.counted === undefined || b.counted === undefined) return a
  const minutes = new Map(a.counted.minutes)
  for (const [minute, count] of b.counted.minutes) {
    minutes.set(minute, (minutes.get(minute) ?? 0) + count)
  }
  const known = new Set(a.counted.releases.map(({ release }) => release))
  return {
    ...a,
    counted: {
      lastReceivedMs: Math.max(a.counted.lastReceivedMs, b.counted.lastReceivedMs),
      minutes: [...minutes],
      users: [...new Set([...a.counted.users, ...b.counted.users])],
      releases: [
        ...a.counted.releases,
        ...b.counted.releases.filter(({ release }) => !known.has(release)),
      ],
    },
  }
}

/** Counts of the check's events by the start of their step, in seconds since 1970. */
export function stepsOf({ condition, counted }: CountCheck): Map<number, number> {
  const step = stepSecondsOf(condition.window_seconds)
  const counts = new Map<number, number>()
  for (const [minute, count] of counted?.minutes ?? []) {
    const start = Math.floor((minute * 60) / step) * step
    counts.set(start, (counts.get(start) ?? 0) + count)
  }
  return counts
}
