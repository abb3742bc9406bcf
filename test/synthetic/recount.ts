/**
 * Computes the expected result of an hour from what was sent, by plain addition and independent of
 * the product's code.
 */
import { type Hour, hourMs } from './plan-hour.ts'

/** Maps `hour outcome:reason category` to a number of items. */
export type Accounting = Record<string, number>

export function recountOutcomes({ bodies }: Hour, startMs: number): Accounting {
  const accounting: Accounting = {}
  const add = (atMs: number, fate: string, quantity: number) => {
    const hour = new Date(Math.floor((startMs + atMs) / hourMs) * hourMs).toISOString()
    accounting[`${hour} ${fate}`] = (accounting[`${hour} ${fate}`] ?? 0) + quantity
  }
  for (const { atMs, fates, discards, copies } of bodies) {
    for (const [first, copy] of fates) {
      add(atMs, first, 1)
      for (const after of copies) add(atMs + after, copy, 1)
    }
    for (const { reason, category, quantity } of discards) {
      add(atMs, `client_discard:${reason} ${category}`, quantity)
    }
  }
  return accounting
}

export interface Counts {
  sessions: number
  users: number
  crashed: number
  abnormal: number
  unhandled: number
  errored: number
  healthy: number
  crash_free_users: number | null
}

/** Counts the sessions that began in the time span; `untilMs` is excluded. */
export function recountSessions(
  hour: Hour,
  of: { release: string; environment: string; sinceMs: number; untilMs: number },
): Counts {
  const isWanted = (each: { release: string; environment: string; startedMs: number }) =>
    each.release === of.release &&
    each.environment === of.environment &&
    of.sinceMs <= each.startedMs &&
    each.startedMs < of.untilMs
  const sessions = hour.sessions.filter(isWanted)
  const buckets = hour.buckets.filter(isWanted)
  const ended = (...ends: readonly string[]) =>
    sessions.filter(({ end }) => ends.includes(end)).length
  const sum = (of: 'exited' | 'errored' | 'crashed') => {
    return buckets.reduce((total, bucket) => total + bucket[of], 0)
  }
  const users = new Set(sessions.map(({ user }) => user))
  const unlucky = new Set(sessions.filter(({ end }) => end === 'crashed').map(({ user }) => user))
  return {
    sessions: sessions.length + sum('exited') + sum('errored') + sum('crashed'),
    users: users.size,
    crashed: ended('crashed') + sum('crashed'),
    abnormal: ended('abnormal'),
    unhandled: ended('unhandled'),
    errored: ended('errored') + sum('errored'),
    healthy: ended('running', 'exited') + sum('exited'),
    crash_free_users:
      users.size === 0 ? null : Math.round((1 - unlucky.size / users.size) * 1e6) / 1e6,
  }
}

/** Maps the expected time of each run of a monitor to `status result`. */
export function recountRuns({ runs }: Hour, slug: string): Record<string, string> {
  const said = {
    ok: 'closed ok',
    error: 'closed error',
    missed: 'missed',
    overrunning: 'overrunning',
  }
  // The run that creates the monitor has no expected time.
  const known = runs.filter((run) => run.slug === slug).slice(1)
  return Object.fromEntries(
    known.map(({ slotMs, end }) => [new Date(slotMs).toISOString(), said[end]]),
  )
}
