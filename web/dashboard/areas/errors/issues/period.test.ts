import { expect, test } from 'vitest'
import { periods, sinceOf } from './period.ts'

const nowMs = Date.parse('2026-11-20T10:20:30.456Z')

test.each([
  ['1h', '2026-11-20T09:20:00.000Z'],
  ['24h', '2026-11-19T10:20:00.000Z'],
  ['7d', '2026-11-13T10:20:00.000Z'],
  ['14d', '2026-11-06T10:20:00.000Z'],
  ['30d', '2026-10-21T10:20:00.000Z'],
  ['90d', '2026-08-22T10:20:00.000Z'],
  ['all', undefined],
] as const)('%s begins at %s', (period, since) => {
  expect(sinceOf(period, nowMs)).toBe(since)
})

test('every period has a beginning but all time', () => {
  expect(periods.filter((period) => sinceOf(period, nowMs) === undefined)).toEqual(['all'])
})
