/**
 * Load under faults: sends unique events while a test kills processes, waits until everything has
 * recovered, and checks the invariants. Every event answered 200 must be stored once. An event with
 * any other answer may be stored or not, but never twice.
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
  /** Default: as many as are sent until `faults` has ended. */
  readonly requests?: number
  readonly connections: number
  readonly ratePerSecond: number
  /** Runs concurrently with the load, which continues until all its requests are sent. */
  readonly faults: () => Promise<void>
}

const secondsMax = 120
const settleMsMax = 180_000
const pollMs = 500
/** Counts are final when they have not changed for this long. */
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
    const ended = new AbortController()
    const [load] = await Promise.all([
      runLoad(
        {
          host: dsn.hostname,
          port: Number(dsn.port),
          connections: plan.connections,
          secondsMax,
          ...(plan.requests === undefined
            ? { until: ended.signal }
            : { requestsMax: plan.requests }),
          ratePerSecond: plan.ratePerSecond,
          counterFirst: 0,
        },
        workload,
      ),
      plan.faults().finally(() => ended.abort()),
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
 * Waits until both stores agree, hold at least `rowsMin` rows (those before the load and those
 * answered 200) and have stopped changing.
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
