/**
 * The short form of `npm run test:faults`. A failed round can be repeated there by its seed and
 * number.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runAlertSteps } from './alerts/run-alert-steps.ts'
import { describeFault } from './describe-fault.ts'
import { FaultStack } from './fault-stack.ts'
import { Stores } from './read-stores.ts'
import { runLimit } from './run-limit.ts'
import { planRoundFaults, runRound } from './run-round.ts'

const seed = 258
/** Together they have every kind of fault but a lost stream (stream-replaced.test.ts). */
const rounds = [2, 22, 30]
const limit = 3_000

const kindOf = ({ kind }: { readonly kind: string }) => kind

let stack: FaultStack
let stores: Stores
let failed = false
let storedFiles = 0

beforeAll(async () => {
  stack = await FaultStack.start()
  stores = new Stores(stack.engines)
})

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail'
})

afterAll(async () => {
  await stores?.close()
  await stack?.stop(failed)
})

test('the rounds have every kind of fault but a lost stream', () => {
  const kinds = new Set(rounds.flatMap((round) => planRoundFaults(seed, round)).map(kindOf))
  const all = Array.from({ length: 200 }, (_, round) => planRoundFaults(seed, round).map(kindOf))
  const missing = new Set(all.flat().filter((kind) => !kinds.has(kind)))
  expect([...missing]).toEqual(['lose_stream'])
})

test.each(rounds)(
  'round %d: every event answered 200 is stored once, and the invariants hold',
  async (round) => {
    const { faults, findings, notes, files } = await runRound(stack, stores, { seed, round })
    storedFiles += files
    const schedule = [...faults.map(describeFault), ...notes, `logs: ${stack.logsFolder}`].join(
      '\n',
    )
    expect(findings, schedule).toEqual([])
  },
)

test('files of events were stored in the rounds', () => {
  expect(storedFiles).toBeGreaterThan(rounds.length)
})

test('an alert has one delivery under one id, whether its worker is killed or stopped at any step', async () => {
  const findings = await runAlertSteps(stack, stores, seed)
  expect(findings, `logs: ${stack.logsFolder}`).toEqual([])
})

test('three ingest processes under random kills accept exactly the limit, and never more', async () => {
  const { findings, accepted, kills } = await runLimit(stack, stores, { limit, seed })
  expect(findings, `logs: ${stack.logsFolder}`).toEqual([])
  expect(accepted).toBe(limit)
  expect(kills).toBeGreaterThan(0)
})
