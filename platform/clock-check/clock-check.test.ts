import { expect, test } from 'vitest'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import { ClockCheck } from './clock-check.ts'
import { CorrectedClock } from './corrected-clock.ts'
import { measureClock } from './measure-clock.ts'

const startMs = Date.parse('2026-05-01T00:00:00Z')

function checkedClock(offMs: number) {
  const machine = { offMs, monotonicMs: 0 }
  const clock = new CorrectedClock({
    nowMs: () => startMs + machine.monotonicMs + machine.offMs,
    monotonicMs: () => machine.monotonicMs,
  })
  const lines: string[] = []
  const note = ({ code }: { code: string }, text: string) => lines.push(`${code}: ${text}`)
  const postgres = { isAway: false }
  const query = async () => {
    if (postgres.isAway) throw new Error('connection refused')
    return { rows: [{ ms: startMs + machine.monotonicMs }] }
  }
  const check = new ClockCheck({
    clock,
    pool: { query } as unknown as Pool,
    log: { warn: note, info: note } as unknown as Logger,
  })
  return { machine, clock, check, lines, postgres }
}

test('a clock that is off is reported once, and once more when it was set', async () => {
  const { machine, check, lines } = checkedClock(-86_400_000)
  for (let round = 0; round < 3; round += 1) await check.run()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^clock_off: .* is 86400 s behind the clock of Postgres/)
  machine.offMs = 0
  for (let round = 0; round < 3; round += 1) await check.run()
  expect(lines.slice(1)).toEqual(['clock_agrees: The clock agrees with Postgres again.'])
})

test('a jump while Postgres is away is reported too, and the time stays right', async () => {
  const { machine, clock, check, lines, postgres } = checkedClock(0)
  await check.run()
  postgres.isAway = true
  machine.offMs = 86_400_000
  await expect(check.run()).rejects.toThrow('connection refused')
  expect(lines[0]).toMatch(/^clock_off: .* is 86400 s ahead of/)
  expect(clock.nowMs()).toBe(startMs)
})

test('half of the round trip is subtracted, and one slow answer does not matter', async () => {
  let monotonicMs = 0
  const roundTripsMs = [900, 20, 30, 5_000, 10]
  const aheadMs = await measureClock({ monotonicMs: () => monotonicMs }, async () => {
    const tripMs = roundTripsMs.shift()!
    // The slow answers are slow on their way back.
    const answeredAtMs = monotonicMs + Math.min(tripMs / 2, 10)
    monotonicMs += tripMs
    return startMs + answeredAtMs
  })
  expect(Math.abs(aheadMs - startMs)).toBeLessThanOrEqual(10)
})

test('a Postgres that answers only slowly is not believed', async () => {
  let monotonicMs = 0
  const measuring = measureClock({ monotonicMs: () => monotonicMs }, async () => {
    monotonicMs += 2_001
    return startMs
  })
  await expect(measuring).rejects.toThrow('too slowly')
})
