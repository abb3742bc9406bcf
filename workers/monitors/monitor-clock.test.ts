import { expect, test } from 'vitest'
import type { Clock } from '#platform/clock.ts'
import { MonitorClock } from './monitor-clock.ts'

const cursor = { partition: 3, epoch: 1, generation: 1, committedSeq: 40, plannedSeq: 40 }
const nowMs = Date.parse('2026-11-21T10:07:09.999Z')

function clockOf(options: { due?: boolean; lastSeq?: number | undefined } = {}) {
  const { due = true } = options
  const ticks: string[] = []
  const asked: number[] = []
  const time = { monotonicMs: 1_000_000 }
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => time.monotonicMs }
  const monitors = new MonitorClock({
    clock,
    ticks: {
      isDue: async () => due,
      tick: async ({ partition }, minuteMs) => {
        ticks.push(`${partition} ${new Date(minuteMs).toISOString()}`)
      },
    },
    lastSeq: async (partition) => {
      asked.push(partition)
      return 'lastSeq' in options ? options.lastSeq : 40
    },
  })
  // The clock was created some time ago.
  time.monotonicMs += 30_000
  return { monitors, ticks, asked, time }
}

test('a minute passes when the whole stream is committed and the grace period is over', async () => {
  const { monitors, ticks } = clockOf()
  await monitors.tickIdle(cursor)
  expect(ticks).toEqual(['3 2026-11-21T10:06:00.000Z'])
})

// biome-ignore format: the columns are the point
test.each([
  ['messages wait in the stream    ', { lastSeq: 41 },         cursor],
  ['the broker does not answer     ', { lastSeq: undefined },  cursor],
  ['nothing is due                 ', { due: false },          cursor],
  ['a range is planned             ', {},                      { ...cursor, plannedSeq: 41 }],
] as const)('no time passes while %s', async (_name, options, at) => {
  const { monitors, ticks } = clockOf(options)
  await monitors.tickIdle(at)
  expect(ticks).toEqual([])
})

test('the broker is queried only when something is due', async () => {
  const { monitors, asked } = clockOf({ due: false })
  await monitors.tickIdle(cursor)
  expect(asked).toEqual([])
})

test('the check is not repeated at once', async () => {
  const { monitors, ticks, time } = clockOf()
  await monitors.tickIdle(cursor)
  await monitors.tickIdle(cursor)
  expect(ticks).toHaveLength(1)
  time.monotonicMs += 5_000
  await monitors.tickIdle(cursor)
  expect(ticks).toHaveLength(2)
})

test('no time passes for half a minute after the broker was unavailable', async () => {
  const { monitors, ticks, time } = clockOf()
  monitors.unsettle()
  time.monotonicMs += 29_000
  await monitors.tickIdle(cursor)
  expect(ticks).toEqual([])
  time.monotonicMs += 5_000
  await monitors.tickIdle(cursor)
  expect(ticks).toHaveLength(1)
})

test('a broker that does not answer counts as unavailable', async () => {
  const broker: { lastSeq: number | undefined } = { lastSeq: undefined }
  const { monitors, ticks, time } = clockOf(broker)
  await monitors.tickIdle(cursor)
  broker.lastSeq = 40
  time.monotonicMs += 10_000
  await monitors.tickIdle(cursor)
  expect(ticks).toEqual([])
  time.monotonicMs += 20_000
  await monitors.tickIdle(cursor)
  expect(ticks).toHaveLength(1)
})
