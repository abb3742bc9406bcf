/** Decides what rules would have fired, from counts by step. Pure functions. */
import { isThresholdPassed } from '#schemas/alerts/alert-threshold.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'

export interface Firing {
  readonly atMs: number
  readonly issueId: string
  readonly reason: string
}

/** Events of one issue in one step; `user` only when users are counted. */
export interface Step {
  /** Its start. */
  readonly atMs: number
  /** When the last of these events was received. */
  readonly lastMs: number
  readonly events: number
  readonly user: string
}

export type Threshold = Extract<AlertCondition, { type: 'event_count' | 'user_count' }>

interface WindowCount {
  readonly now: number
  readonly before: number
}

/**
 * Fires at the last event of each step in which the threshold is passed then, as a commit of the
 * workers does. Cooldown is applied later; without one, a threshold fires once in each length of
 * its window.
 *
 * @param steps of one issue, oldest first, from two windows before `sinceMs` on.
 */
export function thresholdFirings(
  condition: Threshold,
  {
    issueId,
    steps,
    stepMs,
    sinceMs,
    cooldownSeconds,
  }: {
    readonly issueId: string
    readonly steps: readonly Step[]
    readonly stepMs: number
    readonly sinceMs: number
    readonly cooldownSeconds: number
  },
): Firing[] {
  const windowMs = condition.window_seconds * 1_000
  const firings: Firing[] = []
  let firedWindow: number | undefined
  // steps[low..high] are what two windows may have.
  let low = 0
  let lastMs = 0
  for (const [high, step] of steps.entries()) {
    lastMs = steps[high - 1]?.atMs === step.atMs ? Math.max(lastMs, step.lastMs) : step.lastMs
    // Several rows of a step are one moment.
    if (steps[high + 1]?.atMs === step.atMs || step.atMs < sinceMs) continue
    while (steps[low]!.atMs + stepMs <= lastMs - 2 * windowMs) low += 1
    const ofWindow = Math.floor(lastMs / windowMs)
    if (cooldownSeconds === 0 && ofWindow === firedWindow) continue
    const inReach = steps.slice(low, high + 1)
    const count = countWindow(condition, inReach, { atMs: lastMs, stepMs })
    if (!isThresholdPassed(condition, count)) continue
    firedWindow = ofWindow
    firings.push({ atMs: lastMs, issueId, reason: reasonOf(condition, count) })
  }
  return firings
}

function countWindow(
  { type, compared_to, window_seconds }: Threshold,
  steps: readonly Step[],
  { atMs, stepMs }: { readonly atMs: number; readonly stepMs: number },
): WindowCount {
  const windowMs = window_seconds * 1_000
  const since = atMs - windowMs
  if (type === 'event_count') {
    // The step in which a window begins counts in proportion.
    const after = (ms: number) =>
      steps.reduce((sum, step) => {
        const share = Math.min(1, Math.max(0, (step.atMs + stepMs - ms) / stepMs))
        return sum + step.events * share
      }, 0)
    const now = after(since)
    return { now, before: compared_to === 'absolute' ? 0 : after(since - windowMs) - now }
  }
  const users = (fromMs: number, toMs: number) =>
    new Set(steps.filter(({ lastMs }) => fromMs < lastMs && lastMs <= toMs).map(({ user }) => user))
      .size
  if (compared_to === 'absolute') return { now: users(since, atMs), before: 0 }
  // These windows begin at multiples of their length.
  const beginMs = Math.floor(atMs / windowMs) * windowMs - 1
  return { now: users(beginMs, atMs), before: users(beginMs - windowMs, beginMs) }
}

function reasonOf(condition: Threshold, { now, before }: WindowCount): string {
  const { type, threshold, window_seconds, compared_to } = condition
  const noun = type === 'event_count' ? 'events' : 'users'
  const minutes = Math.round(window_seconds / 60)
  const limit =
    compared_to === 'absolute'
      ? `the limit is ${threshold}`
      : `${Math.round(before)} in the window before, and the limit is ${threshold} percent more`
  return `${Math.round(now)} ${noun} in ${minutes} minutes; ${limit}`
}

/**
 * After a firing about an issue the rule is silent about it, and several conditions that hold at
 * the same time fire once. Returns the firings, oldest first.
 */
export function withCooldown(firings: readonly Firing[], cooldownSeconds: number): Firing[] {
  const lastMs = new Map<string, number>()
  return firings
    .toSorted((a, b) => a.atMs - b.atMs)
    .filter(({ atMs, issueId }) => {
      const last = lastMs.get(issueId)
      if (last !== undefined && (atMs === last || atMs < last + cooldownSeconds * 1_000))
        return false
      lastMs.set(issueId, atMs)
      return true
    })
}

/** Notifications that these firings would have been. @param firings oldest first. */
export function countNotifications(firings: readonly Firing[], digestSeconds: number): number {
  const digestMs = digestSeconds * 1_000
  let count = 0
  /** The end of the interval that the last notification began. */
  let endMs = Number.NEGATIVE_INFINITY
  let isWaiting = false
  for (const { atMs } of firings) {
    if (isWaiting && endMs <= atMs) {
      // What waited was sent at the end, which began another interval.
      isWaiting = false
      endMs += digestMs
    }
    if (endMs <= atMs) {
      count += 1
      endMs = atMs + digestMs
    } else if (!isWaiting) {
      count += 1
      isWaiting = true
    }
  }
  return count
}
