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
  readonly atMs: number
  readonly events: number
  readonly user: string
}

export type Threshold = Extract<AlertCondition, { type: 'event_count' | 'user_count' }>

/**
 * Fires at each step with an event at which the threshold is passed. Cooldown is applied later.
 *
 * @param steps of one issue, oldest first, from two windows before `sinceMs` on.
 */
export function thresholdFirings(
  condition: Threshold,
  {
    issueId,
    steps,
    sinceMs,
  }: {
    readonly issueId: string
    readonly steps: readonly Step[]
    readonly sinceMs: number
  },
): Firing[] {
  const windowMs = condition.window_seconds * 1_000
  const isRelative = condition.compared_to === 'previous_window'
  const current = new Counter(condition.type)
  const previous = new Counter(condition.type)
  const firings: Firing[] = []
  // steps[low..high] are in the window, steps[lowest..low - 1] in the one before.
  let low = 0
  let lowest = 0
  for (const [high, step] of steps.entries()) {
    current.add(step)
    const startMs = windowStart(condition, step.atMs)
    for (; steps[low]!.atMs < startMs; low += 1) {
      current.remove(steps[low]!)
      previous.add(steps[low]!)
    }
    for (; lowest < low && steps[lowest]!.atMs < startMs - windowMs; lowest += 1) {
      previous.remove(steps[lowest]!)
    }
    // Several rows of a step are one moment.
    if (steps[high + 1]?.atMs === step.atMs || step.atMs < sinceMs) continue
    const { count } = current
    const before = previous.count
    if (!isThresholdPassed(condition, { now: count, before })) continue
    const noun = condition.type === 'event_count' ? 'events' : 'users'
    const minutes = Math.round(condition.window_seconds / 60)
    const limit = isRelative
      ? `${before} in the window before, and the limit is ${condition.threshold} percent more`
      : `the limit is ${condition.threshold}`
    firings.push({
      atMs: step.atMs,
      issueId,
      reason: `${count} ${noun} in ${minutes} minutes; ${limit}`,
    })
  }
  return firings
}

/** Users are compared by windows that begin at multiples of their length, as workers count them. */
function windowStart({ type, compared_to, window_seconds }: Threshold, atMs: number): number {
  const windowMs = window_seconds * 1_000
  return type === 'user_count' && compared_to === 'previous_window'
    ? Math.floor(atMs / windowMs) * windowMs
    : atMs - windowMs + 1
}

/** Without a cooldown a condition fires once in each length of its window. */
export function oncePerWindow(firings: readonly Firing[], windowSeconds: number): Firing[] {
  const fired = new Set<string>()
  return firings.filter(({ atMs, issueId }) => {
    const key = `${issueId} ${Math.floor(atMs / 1_000 / windowSeconds)}`
    if (fired.has(key)) return false
    fired.add(key)
    return true
  })
}

class Counter {
  readonly #isUsers: boolean
  readonly #users = new Map<string, number>()
  #events = 0

  constructor(type: Threshold['type']) {
    this.#isUsers = type === 'user_count'
  }

  get count(): number {
    return this.#isUsers ? this.#users.size : this.#events
  }

  add({ events, user }: Step): void {
    this.#events += events
    if (this.#isUsers) this.#users.set(user, (this.#users.get(user) ?? 0) + 1)
  }

  remove({ events, user }: Step): void {
    this.#events -= events
    if (!this.#isUsers) return
    const left = (this.#users.get(user) ?? 0) - 1
    if (left > 0) this.#users.set(user, left)
    else this.#users.delete(user)
  }
}

/** After a firing about an issue the rule is silent about it. Returns the firings, oldest first. */
export function withCooldown(firings: readonly Firing[], cooldownSeconds: number): Firing[] {
  const lastMs = new Map<string, number>()
  return firings
    .toSorted((a, b) => a.atMs - b.atMs)
    .filter(({ atMs, issueId }) => {
      const last = lastMs.get(issueId)
      if (last !== undefined && atMs < last + cooldownSeconds * 1_000) return false
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
