import { expect, test } from 'vitest'
import { formatInZone, instantOfWall, timeZones, wallTime } from './zoned-time.ts'

// biome-ignore format: the columns are the point
test.each([
  ['UTC',                 '2026-11-24T08:30', '2026-11-24T08:30:00.000Z'],
  ['in winter',           '2026-11-24T08:30', '2026-11-24T07:30:00.000Z', 'Europe/Berlin'],
  ['in summer',           '2026-07-24T08:30', '2026-07-24T06:30:00.000Z', 'Europe/Berlin'],
  ['across midnight',     '2026-11-24T00:15', '2026-11-24T05:15:00.000Z', 'America/New_York'],
  ['with half an hour',   '2026-11-24T08:30', '2026-11-24T03:00:00.000Z', 'Asia/Kolkata'],
  ['beyond UTC+12',       '2026-11-24T08:30', '2026-11-23T19:30:00.000Z', 'Pacific/Apia'],
  ['skipped in March',    '2026-03-29T02:30', '2026-03-29T01:30:00.000Z', 'Europe/Berlin'],
  ['twice in October',    '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', 'Europe/Berlin'],
  ['with seconds',        '2026-11-24T08:30:59', '2026-11-24T08:30:00.000Z'],
])('a time %s', (_name, wall, instant, zone = 'UTC') => {
  expect(new Date(instantOfWall(wall, zone)!).toISOString()).toBe(instant)
})

test.each(['', 'tomorrow', '2026-02-30T08:00', '2026-13-01T08:00', '12:00'])(
  '%j is no time',
  (wall) => {
    expect(instantOfWall(wall, 'UTC')).toBeUndefined()
  },
)

test('a wall time returns to its instant', () => {
  const at = Date.parse('2026-11-24T07:30:00Z')
  for (const zone of timeZones('UTC').slice(0, 40)) {
    expect(instantOfWall(wallTime(at, zone), zone), zone).toBe(at)
  }
})

test('the zone of the browser comes first', () => {
  expect(timeZones('Europe/Berlin').slice(0, 2)).toEqual(['Europe/Berlin', 'UTC'])
  expect(formatInZone(Date.parse('2026-11-24T07:30:00Z'), 'Europe/Berlin')).toBe(
    'Tuesday, 24 Nov 2026, 08:30 CET',
  )
})
