import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysOf, readSlices, type Slice, type Spread } from './read-slices.ts'

const dayMs = 86_400_000
const nowMs = 200 * dayMs
const time = fc.integer({ min: 0, max: nowMs })
const bound = /^received_at (>=|<=|<|>) fromUnixTimestamp64Milli\(toInt64\((-?\d+)\)\)$/

/** What ClickHouse would select. */
function isInside(at: number, { conditions }: Slice): boolean {
  return conditions.every((condition) => {
    const [, comparison, text] = bound.exec(condition) ?? []
    const end = Number(text)
    if (comparison === '>=') return at >= end
    if (comparison === '<=') return at <= end
    if (comparison === '<') return at < end
    if (comparison === '>') return at > end
    throw new Error(`not a bound: ${condition}`)
  })
}

test('slices have every event once, nearest first, wherever they start', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(time, { maxLength: 40 }),
      fc.constantFrom('older', 'newer'),
      time,
      fc.integer({ min: 1, max: 50 }),
      fc.record({ firstMs: time, lastMs: time, count: fc.integer({ min: 0, max: 1e9 }) }),
      async (times, towards, startMs, limit, spread: Spread) => {
        const sign = towards === 'older' ? -1 : 1
        const sorted = [...times].sort((a, b) => sign * (a - b))
        const asked: number[] = []
        const days = daysOf(spread, limit)
        const found = await readSlices({ startMs, towards, limit, days, nowMs }, (slice, left) => {
          asked.push(left)
          if (slice.sinceMs !== undefined) {
            expect(
              times.filter((at) => isInside(at, slice)).every((at) => at >= slice.sinceMs!),
            ).toBe(true)
          }
          return Promise.resolve(sorted.filter((at) => isInside(at, slice)).slice(0, left))
        })
        expect(found).toEqual(sorted.slice(0, limit))
        expect(asked.length).toBeLessThanOrEqual(4)
      },
    ),
  )
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing is known',           undefined,                                          1, 1],
  ['a burst',                    { firstMs: 0, lastMs: 1000, count: 9 },             1, 1],
  ['one event a day',            { firstMs: 0, lastMs: 90 * dayMs, count: 90 },      1, 2],
  ['a page of one event a day',  { firstMs: 0, lastMs: 90 * dayMs, count: 90 },     50, 100],
  ['two events far apart',       { firstMs: 0, lastMs: 90 * dayMs, count: 2 },       1, 90],
  ['times that are swapped',     { firstMs: 90 * dayMs, lastMs: 0, count: 2 },       1, 1],
  ['no events',                  { firstMs: 0, lastMs: dayMs, count: 0 },            1, 2],
] as const)('the first slice: %s', (_, spread, limit, days) => {
  expect(daysOf(spread, limit)).toBe(days)
})

test('the newest slice ends now', async () => {
  const slices: Slice[] = []
  await readSlices(
    { startMs: nowMs - 1000, towards: 'newer', limit: 1, days: 1, nowMs },
    (slice) => {
      slices.push(slice)
      return Promise.resolve([])
    },
  )
  expect(slices).toEqual([{ conditions: [], sinceMs: undefined }])
})
