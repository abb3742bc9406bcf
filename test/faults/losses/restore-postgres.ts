/**
 * Puts an older Postgres back in the middle of load, and reconciles it with the command's action.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '#platform/clock.ts'
import { withReconcile } from '../../../api/reconcile/open-reconcile-store.ts'
import { reconcile } from '../../../api/reconcile/reconcile.ts'
import { copyPostgres } from '../../fixtures/processes/postgres-copy.ts'
import type { FaultStack } from '../fault-stack.ts'
import { workersNames } from '../plan-faults.ts'

const reconcileMsMax = 30_000
const retryMs = 100
/** Commits that the copy must not know, unless they take too long. */
const commitsMin = 3
const commitsMsMax = 6_000
const actor = { personId: null, name: 'test', via: 'command_line', ip: null } as const

/** What reconciliations of a round have done. */
export interface ReconcileTally {
  issuesCreated: number
  /** False if one was stopped, so that its issues are not known. */
  isWhole: boolean
}

/** Returns one sentence: how many events were counted. */
export async function restoreOlderPostgres(
  stack: FaultStack,
  { forMs, workersAreKilled }: { readonly forMs: number; readonly workersAreKilled: boolean },
  tally: ReconcileTally,
): Promise<string> {
  const copy = await copyPostgres(stack.engines)
  try {
    await waitForCommits(stack)
    await sleep(forMs)
    const killed = workersAreKilled ? workersNames : []
    await Promise.all(killed.map((name) => stack.kill(name)))
    await copy.restore()
    // At the same time: a worker is not ready before its partitions are reconciled.
    const [sentence] = await Promise.all([
      reconcileStores(stack, tally),
      ...killed.map((name) => stack.start(name)),
    ])
    return sentence
  } finally {
    await copy.remove()
  }
}

/**
 * Waits until workers have committed several ranges that the copy does not know: they need a few
 * seconds to take the partitions over after the restart of Postgres.
 */
async function waitForCommits(stack: FaultStack): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + commitsMsMax
  const seen = new Set<string>()
  while (seen.size <= commitsMin && systemClock.monotonicMs() < deadlineMs) {
    const client = new pg.Client({ connectionString: stack.engines.urls.postgres })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query(
        'select sum(committed_seq)::text as at, sum(generation)::text as generation from partition_cursors',
      )
      seen.add(JSON.stringify(rows[0]))
    } catch {
      // Another fault keeps Postgres away.
    } finally {
      await client.end().catch(() => undefined)
    }
    await sleep(retryMs)
  }
}

/** Repeats until nothing is left to reconcile: other faults may stop it. */
export async function reconcileStores(stack: FaultStack, tally: ReconcileTally): Promise<string> {
  const deadlineMs = systemClock.monotonicMs() + reconcileMsMax
  const counted = { events: 0, partitions: 0 }
  while (true) {
    try {
      const { partitions } = await withReconcile(
        stack.engines.urls,
        () => undefined,
        (ctx) => reconcile(ctx, actor, { dryRun: false, restored: true }),
      )
      counted.partitions += partitions.length
      tally.issuesCreated += partitions.reduce((sum, one) => sum + one.issues_created, 0)
      counted.events += partitions.reduce((sum, { events }) => sum + events, 0)
      if (partitions.length === 0) {
        return `reconciled ${counted.events} events of ${counted.partitions} partitions`
      }
    } catch (error) {
      tally.isWhole = false
      if (systemClock.monotonicMs() > deadlineMs) throw error
    }
    await sleep(retryMs)
  }
}
