/**
 * Lets alert rules fire in the commit that causes it. A commit in which nothing matches a rule runs
 * no query here, any other at most nine, however many rules and issues there are.
 *
 *   lock rules → add counts, users and releases → check windows → firings, by cooldown → jobs
 */
import { failpoint } from '#platform/failpoint.ts'
import type { PoolClient } from '#platform/postgres.ts'
import {
  comparedCountMin,
  isThresholdPassed,
  stepSecondsOf,
} from '#schemas/alerts/alert-threshold.ts'
import type { SettledStates } from '../issue-states/settled-states.ts'
import type { Cursor } from '../partitions/ports.ts'
import {
  addCounts,
  addUsers,
  compareUsers,
  countUsers,
  sumWindows,
  type WindowCheck,
  type WindowSum,
} from './alert-count-store.ts'
import type { AlertRules, RuleFilter } from './alert-rules.ts'
import type { IssueFiring } from './firing.ts'
import {
  insertFirings,
  type LockedRule,
  lockRules,
  noteReleases,
  wakeRules,
} from './firing-store.ts'
import { formatWindow } from './format-window.ts'
import {
  type AlertPlan,
  type CountCheck,
  firingOf,
  planFirings,
  type ReleaseCheck,
  stepsOf,
} from './plan-firings.ts'

export interface AlertCommit {
  /** The rules that the range was digested with. */
  readonly rules: readonly AlertRules[]
  readonly cursor: Cursor
  /** Rules that have fired in this transaction for another reason. */
  readonly alsoFired: readonly string[]
}

/** Returns how many rules fired. */
export async function commitAlerts(
  client: PoolClient,
  settled: SettledStates,
  { rules, cursor, alsoFired }: AlertCommit,
): Promise<number> {
  const isMatched = settled.changes.some(({ sum }) => sum.matches.length > 0)
  const fired = isMatched ? await fireAboutIssues(client, settled, { rules, cursor }) : []
  const all = new Set([...alsoFired, ...fired])
  if (all.size === 0) return 0
  failpoint('workers.after_firings')
  // Once in a transaction, because concurrent ones wait for each other's jobs.
  await wakeRules(client, [...all])
  return all.size
}

async function fireAboutIssues(
  client: PoolClient,
  settled: SettledStates,
  { rules, cursor }: Pick<AlertCommit, 'rules' | 'cursor'>,
): Promise<readonly string[]> {
  const commit = `${cursor.partition}.${cursor.generation}.${cursor.plannedSeq}`
  const plan = planFirings(settled, filtersByProject(rules), commit)
  const { firings } = plan
  const mentioned = new Set([
    ...firings.list().map(({ ruleId }) => ruleId),
    ...plan.counts.map(({ rule }) => rule.id),
    ...plan.releases.map(({ rule }) => rule.id),
  ])
  if (mentioned.size === 0) return []
  const locked = await lockRules(client, [...mentioned])
  const releases = await firstInRelease(client, plan, locked)
  const counts = await passedThresholds(client, plan, { locked, commit })
  // A rule fires once about an issue in a commit, for the first of its conditions that holds.
  const told = new Set<string>()
  for (const firing of [...releases, ...counts]) {
    const key = `${firing.ruleId} ${firing.issueId}`
    if (!told.has(key)) firings.add(firing)
    told.add(key)
  }
  const all = firings.list().filter(({ ruleId }) => locked.has(ruleId))
  return all.length === 0 ? [] : insertFirings(client, all)
}

function filtersByProject(rules: readonly AlertRules[]) {
  const byProject = new Map(rules.map((each) => [each.projectId, each]))
  return (projectId: AlertRules['projectId']): readonly RuleFilter[] => {
    return byProject.get(projectId)?.filters ?? []
  }
}

async function firstInRelease(
  client: PoolClient,
  { releases }: AlertPlan,
  locked: ReadonlyMap<string, LockedRule>,
): Promise<readonly IssueFiring[]> {
  const watched = releases.filter(({ rule }) => locked.has(rule.id))
  if (watched.length === 0) return []
  const first = await noteReleases(
    client,
    watched.map(({ rule, issueId, projectId, isNew, seen, atMs }, no) => ({
      no,
      rule_id: rule.id,
      issue_id: issueId,
      project_id: projectId,
      version: seen.release,
      is_new: isNew,
      at: new Date(atMs).toISOString(),
    })),
  )
  return watched.filter(({ isTold }, no) => first.has(no) && !isTold).map(releaseFiring)
}

function releaseFiring(check: ReleaseCheck): IssueFiring {
  const { issueId, seen } = check
  return firingOf(check, seen, {
    type: 'first_in_release',
    reason: `This issue happens in release ${seen.release} for the first time.`,
    cause: `release:${issueId}:${seen.release}`,
  })
}

async function passedThresholds(
  client: PoolClient,
  { counts }: AlertPlan,
  { locked, commit }: { readonly locked: ReadonlyMap<string, LockedRule>; readonly commit: string },
): Promise<readonly IssueFiring[]> {
  const checks = counts.filter(({ rule }) => locked.has(rule.id))
  if (checks.length === 0) return []
  const ofEvents = checks.filter(({ condition }) => condition.type === 'event_count')
  const ofUsers = checks.filter(({ condition }) => condition.type === 'user_count')
  const sliding = ofUsers.filter(({ condition }) => condition.compared_to === 'absolute')
  const compared = ofUsers.filter(({ condition }) => condition.compared_to !== 'absolute')
  const firings: IssueFiring[] = []
  const check = async (
    some: readonly CountCheck[],
    sum: (client: PoolClient, checks: readonly WindowCheck[]) => Promise<readonly WindowSum[]>,
  ) => {
    if (some.length === 0) return
    for (const found of await sum(client, windowChecks(some, locked))) {
      const passed = some[found.no]!
      if (passed.isTold || !isThresholdPassed(passed.condition, found)) continue
      const { cooldownSeconds = 0 } = locked.get(passed.rule.id) ?? {}
      firings.push(countFiring(passed, found, cooldownSeconds === 0 ? undefined : commit))
    }
  }
  const added = countsOf(ofEvents)
  if (added.length > 0) await addCounts(client, added)
  await check(ofEvents, sumWindows)
  const users = [...sliding.flatMap((each) => usersOf(each, 0)), ...compared.flatMap(periodUsers)]
  if (users.length > 0) await addUsers(client, users)
  await check(sliding, countUsers)
  await check(compared, compareUsers)
  return firings
}

/** Two windows of a rule may have steps of one length: they are counted once. */
function countsOf(checks: readonly CountCheck[]) {
  const counts = new Map<string, Parameters<typeof addCounts>[1][number]>()
  for (const check of checks) {
    const { rule, issueId, condition } = check
    const stepSeconds = stepSecondsOf(condition.window_seconds)
    for (const [start, count] of stepsOf(check)) {
      const key = `${rule.id} ${issueId} ${stepSeconds} ${start}`
      counts.set(key, { ruleId: rule.id, issueId, stepSeconds, start, count })
    }
  }
  return [...counts.values()]
}

function usersOf({ rule, issueId, counted, atMs }: CountCheck, period: number) {
  return (counted?.users ?? []).map((userHash) => ({
    ruleId: rule.id,
    issueId,
    period,
    userHash,
    atMs,
  }))
}

function periodUsers(check: CountCheck) {
  const { window_seconds } = check.condition
  return usersOf(check, Math.floor(check.atMs / 1000 / window_seconds) * window_seconds)
}

function windowChecks(
  checks: readonly CountCheck[],
  locked: ReadonlyMap<string, LockedRule>,
): readonly WindowCheck[] {
  return checks.map(({ rule, issueId, condition, atMs }, no) => ({
    no,
    rule_id: rule.id,
    issue_id: issueId,
    window_seconds: condition.window_seconds,
    step_seconds: stepSecondsOf(condition.window_seconds),
    threshold: condition.threshold,
    events_min: condition.compared_to === 'absolute' ? condition.threshold : comparedCountMin,
    at: new Date(atMs).toISOString(),
    cooldown_seconds: locked.get(rule.id)?.cooldownSeconds ?? 0,
  }))
}

function countFiring(check: CountCheck, sum: WindowSum, commit: string | undefined): IssueFiring {
  const { condition, issueId, first, atMs } = check
  const { type, window_seconds, threshold, compared_to } = condition
  const [now, before] = [Math.round(sum.now), Math.round(sum.before)]
  const shown = (number: number) => number.toLocaleString('en-US')
  const what = type === 'event_count' ? 'events' : 'users'
  const window = formatWindow(window_seconds)
  const isCompared = compared_to === 'previous_window'
  const many = type === 'user_count' && !isCompared ? `more than ${shown(threshold)}` : shown(now)
  const reason = isCompared
    ? `${shown(now)} ${what} in ${window}, after ${shown(before)} in the time before: more than ${shown(threshold)} percent more.`
    : `${many} ${what} in ${window}; the rule's threshold is ${shown(threshold)}.`
  // Without a cooldown a rule fires once in each length of its window.
  const time = commit ?? Math.floor(atMs / 1000 / window_seconds)
  return firingOf(check, first, {
    type,
    reason,
    cause: `${type}:${issueId}:${compared_to}:${threshold}:${window_seconds}:${time}`,
    numbers: {
      count: now,
      threshold,
      window_seconds,
      ...(isCompared ? { count_before: before } : {}),
    },
  })
}
