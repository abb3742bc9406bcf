import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CorrectedClock } from './corrected-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** One second before a month ends. */
const endOfMonthMs = Date.parse('2026-02-28T23:59:59Z')

/** A machine at a true time, whose clock is off, and a Postgres. */
class World {
  trueMs: number
  offMs = 0
  #monotonicMs = 5_000
  readonly clock: CorrectedClock

  constructor(startMs: number, offMs = 0) {
    this.trueMs = startMs
    this.offMs = offMs
    this.clock = new CorrectedClock({
      nowMs: () => Math.floor(this.trueMs + this.offMs),
      monotonicMs: () => this.#monotonicMs,
    })
  }

  pass(ms: number): void {
    this.trueMs += ms
    this.#monotonicMs += ms
  }

  /** @param postgresOffMs error of the clock of Postgres */
  measure(postgresOffMs = 0): void {
    this.clock.adjust(this.trueMs + postgresOffMs - this.#monotonicMs)
  }

  get errorMs(): number {
    return Math.abs(this.clock.nowMs() - this.trueMs)
  }
}

test.each([dayMs, -dayMs, 31 * dayMs, -365 * dayMs, 61_000, -61_000])(
  'a clock that is %d ms off at the start shows the right time after the first measurement',
  (offMs) => {
    const world = new World(endOfMonthMs, offMs)
    world.measure()
    expect(world.clock.nowMs()).toBe(endOfMonthMs)
    expect(world.clock.isCorrecting).toBe(true)
    expect(world.clock.offsetMs).toBe(offMs)
    world.pass(1_000)
    expect(new Date(world.clock.nowMs()).toISOString()).toBe('2026-03-01T00:00:00.000Z')
  },
)

test('a small difference is not corrected', () => {
  const world = new World(endOfMonthMs, 59_000)
  world.measure()
  expect(world.clock.nowMs()).toBe(endOfMonthMs + 59_000)
  expect(world.clock.offsetMs).toBe(59_000)
})

test('a correction ends only when the clocks agree within half a minute', () => {
  const world = new World(endOfMonthMs, 61_000)
  world.measure()
  expect(world.clock.isCorrecting).toBe(true)
  world.offMs = 45_000
  expect(world.clock.nowMs()).toBe(endOfMonthMs)
  world.offMs = 29_000
  expect(world.clock.nowMs()).toBe(endOfMonthMs + 29_000)
  world.offMs = 45_000
  expect(world.clock.nowMs()).toBe(endOfMonthMs + 45_000)
})

test('a jump between two readings, while Postgres is away, has no effect', () => {
  const world = new World(endOfMonthMs)
  world.measure()
  const receivedMs = world.clock.nowMs()
  world.offMs = -dayMs
  world.pass(2_000)
  expect(world.clock.nowMs()).toBe(receivedMs + 2_000)
  world.pass(5 * hourMs)
  world.offMs = 40 * dayMs
  expect(world.errorMs).toBeLessThan(1)
})

test('one wrong measurement is ignored, and one that persists is believed', () => {
  const world = new World(endOfMonthMs)
  world.measure()
  world.measure(dayMs)
  expect(world.errorMs).toBe(0)
  world.measure()
  for (let round = 0; round < 3; round += 1) world.measure(dayMs)
  expect(world.errorMs).toBe(0)
  world.measure(dayMs)
  expect(world.clock.nowMs()).toBe(world.trueMs + dayMs)
})

test('a machine that slept uses its own clock as soon as Postgres agrees with it', () => {
  const world = new World(endOfMonthMs)
  world.measure()
  // The monotonic clock stands still during the sleep.
  world.trueMs += dayMs
  expect(world.errorMs).toBe(dayMs)
  world.measure()
  expect(world.errorMs).toBe(0)
  expect(world.clock.isCorrecting).toBe(false)
})

test('before the first measurement the offset is unknown and reported as 0', () => {
  expect(new World(endOfMonthMs, dayMs).clock.offsetMs).toBe(0)
})

test('after any jumps, the time is never off by more than a minute, and is a whole number', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pass'), ms: fc.double({ min: 0, max: dayMs, noNaN: true }) }),
    fc.record({
      kind: fc.constant('jump'),
      ms: fc.integer({ min: -400 * dayMs, max: 400 * dayMs }),
    }),
    fc.record({ kind: fc.constant('creep'), ms: fc.integer({ min: -50_000, max: 50_000 }) }),
    fc.record({ kind: fc.constant('measure'), ms: fc.constant(0) }),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: -400 * dayMs, max: 400 * dayMs }),
      fc.array(step, { maxLength: 50 }),
      (offMs, steps) => {
        const world = new World(endOfMonthMs, offMs)
        world.measure()
        for (const { kind, ms } of steps) {
          if (kind === 'pass') world.pass(ms)
          else if (kind === 'jump') world.offMs = ms
          else if (kind === 'creep') world.offMs += ms
          else world.measure()
          expect(world.errorMs).toBeLessThanOrEqual(60_001)
          expect(Number.isSafeInteger(world.clock.nowMs())).toBe(true)
        }
      },
    ),
    { seed: 17, numRuns: 500 },
  )
})
