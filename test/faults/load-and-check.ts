/**
 * Load under faults: unique events are sent while a test kills processes, then everything heals and
 * the books are read. An answer of 200 is a promise; anything else promises nothing, so an event
 * without one may be stored or not, but never twice.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { type AccountingCheck, checkAccounting } from '../../bench/load/check-accounting.ts'
import { checkIds, type IdCheck } from '../../bench/load/check-ids.ts'
import { type LoadResult, runLoad } from '../../bench/load/load.ts'
import { newRunId } from '../../bench/load/run-id.ts'
import { buildWorkload, type WorkloadKind, workloadIssueCount } from '../../bench/load/workload.ts'
import { openStoredEvents, type StoredCounts } from '../../bench/stored-events.ts'
import type { Stack } from '../../dev/stack.ts'

export interface FaultyLoad {
  readonly load: LoadResult
  readonly ids: IdCheck
  readonly accounting: AccountingCheck
}

export interface FaultPlan {
  readonly kind: WorkloadKind
  readonly requests: number
  readonly connections: number
  readonly ratePerSecond: number
  /** Runs beside the load; the load goes on until it has sent its requests. */
  readonly faults: () => Promise<void>
}

const secondsMax = 120
const settleMsMax = 90_000
const pollMs = 500
/** Counts that have not moved for so long will not move again. */
const stillMs = 5_000

export async function loadUnderFaults(stack: Stack, plan: FaultPlan): Promise<FaultyLoad> {
  const runId = newRunId()
  const dsn = new URL(stack.demo.dsn)
  const workload = buildWorkload({
    kind: plan.kind,
    seed: 7,
    nowMs: systemClock.nowMs(),
    runId,
    host: dsn.host,
    projectId: stack.demo.dsnId,
    publicKey: dsn.username,
  })
  const stored = openStoredEvents(stack.urls)
  try {
    const before = await stored.counts()
    const [load] = await Promise.all([
      runLoad(
        {
          host: dsn.hostname,
          port: Number(dsn.port),
          connections: plan.connections,
          secondsMax,
          requestsMax: plan.requests,
          ratePerSecond: plan.ratePerSecond,
          counterFirst: 0,
        },
        workload,
      ),
      plan.faults(),
    ])
    await waitUntilStill(() => stored.counts(), before.rows + load.events)
    const { answered, counterEnd } = load
    const ids = checkIds({ runId, answered, counterEnd, storedIds: await stored.ids(runId) })
    const accounting = checkAccounting(
      await stored.accounting(Number(stack.demo.dsnId)),
      workloadIssueCount,
    )
    return { load, ids, accounting }
  } finally {
    await stored.close()
  }
}

/**
 * Both stores agree, hold at least `rowsMin`, which is what was there before and what was promised
 * since, and have stopped moving.
 */
async function waitUntilStill(read: () => Promise<StoredCounts>, rowsMin: number): Promise<void> {
  let before: StoredCounts | undefined
  let stillForMs = 0
  for (let waitedMs = 0; waitedMs < settleMsMax && stillForMs < stillMs; waitedMs += pollMs) {
    const now = await read().catch(() => undefined)
    const still = now !== undefined && now.rows === before?.rows && now.counted === before.counted
    const whole = now !== undefined && now.rows === now.counted && now.rows >= rowsMin
    stillForMs = still && whole ? stillForMs + pollMs : 0
    before = now
    await sleep(pollMs)
  }
}
