import { expect, test } from 'vitest'
import { minuteAt, quotaPeriodAt } from './quota-period.ts'

// biome-ignore format: the columns are the point
test.each([
  ['the first millisecond of a month', '2026-11-01T00:00:00.000Z', '2026-11-01', '2026-12-01'],
  ['the last one                    ', '2026-11-30T23:59:59.999Z', '2026-11-01', '2026-12-01'],
  ['December ends the year          ', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
  ['a leap day                      ', '2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01'],
] as const)('%s belongs to its month in UTC', (_name, now, first, next) => {
  expect(quotaPeriodAt(Date.parse(now))).toEqual({
    name: first,
    startMs: Date.parse(first),
    endMs: Date.parse(next),
  })
})

test('a minute is named by its first millisecond', () => {
  const minute = Date.parse('2026-11-21T12:30:00Z')
  expect([minute, minute + 59_999, minute + 60_000].map(minuteAt)).toEqual([
    minute,
    minute,
    minute + 60_000,
  ])
})
