import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockDriftMs, isoTime, readOccurredAt } from './normalize-time.ts'
import { Notes } from './values/notes.ts'
import { readTimestamp } from './values/read-timestamp.ts'

const at = Date.UTC(2026, 10, 20, 10, 0, 0)
const minuteMs = 60_000
const dayMs = 86_400_000
const iso = (timeMs: number) => new Date(timeMs).toISOString()

// biome-ignore format: the columns are the point
test.each([
  ['seconds with a fraction         ', at / 1000 + 0.25, at + 250],
  ['seconds as text                 ', String(at / 1000), at],
  ['UTC                             ', '2026-11-20T10:00:00Z', at],
  ['no zone is UTC                  ', '2026-11-20T10:00:00', at],
  ['a blank instead of T            ', '2026-11-20 10:00:00.5', at + 500],
  ['microseconds                    ', '2026-11-20T10:00:00.123456Z', at + 123],
  ['an offset                       ', '2026-11-20T11:30:00+01:30', at],
  ['an offset without colon         ', '2026-11-20T08:00:00-0200', at],
  ['a day alone                     ', '2026-11-20', at - 10 * 60 * minuteMs],
  ['the last second of year 9999    ', '9999-12-31T23:59:59Z', 253_402_300_799_000],
  ['a number past year 9999         ', 253_402_300_800, undefined],
  ['milliseconds taken for seconds  ', at, undefined],
  ['a day that does not exist       ', '2026-02-30T00:00:00Z', undefined],
  ['an hour that does not exist     ', '2026-02-03T25:00:00Z', undefined],
  ['before 1970                     ', -1, undefined],
  ['no time at all                  ', 'yesterday', undefined],
  ['an empty text                   ', '', undefined],
  ['a list                          ', [], undefined],
  ['infinity                        ', Number.POSITIVE_INFINITY, undefined],
] as const)('%s', (_name, value, want) => {
  expect(readTimestamp(value)).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['a clock 54:59 behind is not corrected  ', -(55 * minuteMs - 1000), 0],
  ['a clock 55:00 behind is corrected      ', -55 * minuteMs, 55 * minuteMs],
  ['a clock 55:00 ahead is corrected       ', 55 * minuteMs, -55 * minuteMs],
  ['a clock a year behind is corrected     ', -365 * dayMs, 365 * dayMs],
] as const)('%s', (_name, offsetMs, want) => {
  expect(clockDriftMs(at, iso(at + offsetMs))).toBe(want)
})

test('times are not corrected without a valid sent_at', () => {
  expect(clockDriftMs(at, undefined)).toBe(0)
  expect(clockDriftMs(at, 'nope')).toBe(0)
})

describe('an occurrence', () => {
  const occurredAt = (timestamp: unknown, driftMs = 0) => {
    const notes = new Notes()
    const occurredAtMs = readOccurredAt({ timestamp, receivedAtMs: at, driftMs, notes })
    return [occurredAtMs - at, notes.list()?.length ?? 0]
  }
  // biome-ignore format: the columns are the point
  test.each([
    ['60 s ahead stays                        ', iso(at + minuteMs), 0, [minuteMs, 0]],
    ['60.001 s ahead is now                   ', iso(at + minuteMs + 1), 0, [0, 1]],
    ['30 days ago stays                       ', iso(at - 30 * dayMs), 0, [-30 * dayMs, 0]],
    ['30 days and 1 ms ago is now             ', iso(at - 30 * dayMs - 1), 0, [0, 1]],
    ['absent is now, which needs no note      ', undefined, 0, [0, 0]],
    ['null is absent                          ', null, 0, [0, 0]],
    ['unreadable is now                       ', 'nope', 0, [0, 1]],
    ['drift is added before the limits hold   ', iso(at - 365 * dayMs), 365 * dayMs, [0, 1]],
    ['two hours old of a clock a year behind  ', iso(at - 365 * dayMs - 120 * minuteMs), 365 * dayMs, [-120 * minuteMs, 1]],
  ] as const)('%s', (_name, timestamp, driftMs, want) => {
    expect(occurredAt(timestamp, driftMs)).toEqual(want)
  })
})

test('a time is written like Date.prototype.toISOString', () => {
  const edges = [0, 1, 9, 10, 99, 100, 999, 1000, 59_999, 60_000, 3_599_999, 86_399_999, 86_400_000]
  const far = [-1, -86_400_001, 253_402_300_799_999, 253_402_300_800_000, -62_167_219_200_001]
  for (const timeMs of [...edges, ...far])
    expect(isoTime(timeMs)).toBe(new Date(timeMs).toISOString())
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 46), max: 2 ** 48 }), (timeMs) => {
      expect(isoTime(timeMs)).toBe(new Date(timeMs).toISOString())
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})
