import { describe, expect, test } from 'vitest'
import { readSchedule, type Schedule } from '#schemas/wire/monitor-config.ts'
import { tickAfter, tickFrom } from './next-tick.ts'

function ticks(schedule: Schedule, zone: string, from: string, count: number): string[] {
  const found: string[] = []
  let reference = Date.parse(from)
  for (let index = 0; index < count; index += 1) {
    const tick = tickAfter(readSchedule(schedule), zone, reference)
    if (tick === undefined) break
    found.push(new Date(tick).toISOString().replace(':00.000Z', 'Z'))
    reference = tick
  }
  return found
}

function crontab(value: string): Schedule {
  return { type: 'crontab', value }
}

// biome-ignore format: the columns are the point
test.each([
  ['the next one is strictly later   ', '0 * * * *',    'UTC',              '2026-11-21T09:00:00Z',    ['2026-11-21T10:00Z']],
  ['a second later it is the same    ', '0 * * * *',    'UTC',              '2026-11-21T09:00:01Z',    ['2026-11-21T10:00Z']],
  ['a second before it is this one   ', '0 * * * *',    'UTC',              '2026-11-21T08:59:59Z',    ['2026-11-21T09:00Z', '2026-11-21T10:00Z']],
  ['every minute                     ', '* * * * *',    'UTC',              '2026-11-21T23:59:30Z',    ['2026-11-22T00:00Z', '2026-11-22T00:01Z']],
  ['a zone east of UTC               ', '0 9 * * *',    'Asia/Calcutta',    '2026-11-21T00:00:00Z',    ['2026-11-21T03:30Z', '2026-11-22T03:30Z']],
  ['a zone west of UTC               ', '30 22 * * fri','America/New_York', '2026-11-21T12:00:00Z',    ['2026-11-28T03:30Z']],
  ['a quarter of an hour off         ', '0 * * * *',    'Asia/Kathmandu',   '2026-11-21T00:00:00Z',    ['2026-11-21T00:15Z', '2026-11-21T01:15Z']],
  ['the end of a month               ', '0 0 31 * *',   'UTC',              '2026-11-21T00:00:00Z',    ['2026-12-31T00:00Z', '2027-01-31T00:00Z', '2027-03-31T00:00Z']],
  ['a leap day                       ', '0 0 29 2 *',   'UTC',              '2026-11-21T00:00:00Z',    ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  ['a leap day over 2100             ', '*/30 12 29 2 *', 'Europe/Berlin',  '2096-02-29T11:30:00Z',    ['2104-02-29T11:00Z', '2104-02-29T11:30Z']],
  ['the 13th and every Friday        ', '0 0 13 * fri', 'UTC',              '2026-11-08T00:00:00Z',    ['2026-11-13T00:00Z', '2026-11-20T00:00Z', '2026-11-27T00:00Z', '2026-12-04T00:00Z', '2026-12-11T00:00Z', '2026-12-13T00:00Z']],
  ['every second day, if a Monday    ', '0 0 */2 * mon','UTC',              '2026-11-08T00:00:00Z',    ['2026-11-09T00:00Z', '2026-11-23T00:00Z']],
] as const)('%s', (_name, value, zone, from, want) => {
  expect(ticks(crontab(value), zone, from, want.length)).toEqual(want)
})

// Berlin skips 02:00 to 03:00 (01:00Z) on 2026-03-29 and repeats it (00:00Z to 02:00Z) on
// 2026-10-25.
describe('a change of the clock', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['a skipped time is moved to the skip       ', '30 2 * * *',  '2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['two skipped times are one tick            ', '0,30 2 * * *','2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['a skipped time and the end of the skip    ', '0 2,3 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['a repeated time is one tick               ', '30 2 * * *',  '2026-10-24T12:00:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['from the second pass it is tomorrow       ', '30 2 * * *',  '2026-10-25T01:10:00Z', ['2026-10-26T01:30Z']],
    ['the day is not moved                      ', '0 12 * * *',  '2026-03-28T12:00:00Z', ['2026-03-29T10:00Z', '2026-03-30T10:00Z']],
    ['every hour continues over the skip        ', '30 * * * *',  '2026-03-29T00:00:00Z', ['2026-03-29T00:30Z', '2026-03-29T01:30Z', '2026-03-29T02:30Z']],
    ['every hour ticks in both passes           ', '30 * * * *',  '2026-10-24T23:45:00Z', ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z']],
    ['every 20 minutes of an hour: in both      ', '*/20 2 * * *','2026-10-24T12:00:00Z', ['2026-10-25T00:00Z', '2026-10-25T00:20Z', '2026-10-25T00:40Z', '2026-10-25T01:00Z', '2026-10-25T01:20Z', '2026-10-25T01:40Z', '2026-10-26T01:00Z']],
    ['every 20 minutes of a skipped hour: none  ', '*/20 2 * * *','2026-03-28T12:00:00Z', ['2026-03-30T00:00Z']],
  ] as const)('%s', (_name, value, from, want) => {
    expect(ticks(crontab(value), 'Europe/Berlin', from, want.length)).toEqual(want)
  })

  test('by half an hour is respected', () => {
    // Lord Howe: 02:00 becomes 02:30 on 2026-10-04 at 15:30Z of the day before.
    expect(ticks(crontab('15 2 * * *'), 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2)).toEqual([
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ])
  })

  test('at midnight does not lose the day', () => {
    // Beirut skips 00:00 to 01:00 on 2026-03-29.
    expect(ticks(crontab('0 0 * * *'), 'Asia/Beirut', '2026-03-27T23:00:00Z', 3)).toEqual([
      '2026-03-28T22:00Z',
      '2026-03-29T21:00Z',
      '2026-03-30T21:00Z',
    ])
  })
})

describe('an interval', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['of minutes is cut to the minute ', 10, 'minute', 'UTC',           '2026-11-21T09:00:59.999Z', ['2026-11-21T09:10Z', '2026-11-21T09:20Z']],
    ['of hours counts elapsed time    ', 2,  'hour',   'Europe/Berlin', '2026-03-29T00:30:00Z',     ['2026-03-29T02:30Z']],
    ['of days keeps the time of day   ', 1,  'day',    'Europe/Berlin', '2026-03-28T08:00:00Z',     ['2026-03-29T07:00Z', '2026-03-30T07:00Z']],
    ['of weeks also keeps it          ', 1,  'week',   'Europe/Berlin', '2026-10-20T08:00:00Z',     ['2026-10-27T09:00Z']],
    ['of a day into a skipped hour    ', 1,  'day',    'Europe/Berlin', '2026-03-28T01:30:00Z',     ['2026-03-29T01:00Z']],
    ['of months uses the calendar     ', 1,  'month',  'UTC',           '2026-11-21T09:00:00Z',     ['2026-12-21T09:00Z', '2027-01-21T09:00Z']],
    ['of a month ends with a short one', 1,  'month',  'UTC',           '2027-01-31T09:00:00Z',     ['2027-02-28T09:00Z']],
    ['of a year from a leap day       ', 1,  'year',   'UTC',           '2028-02-29T09:00:00Z',     ['2029-02-28T09:00Z']],
  ] as const)('%s', (_name, value, unit, zone, from, want) => {
    expect(ticks({ type: 'interval', value, unit }, zone, from, want.length)).toEqual(want)
  })
})

describe('after a missed run', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['the tick that follows             ', crontab('0 * * * *'),                               '2026-11-21T09:00Z', '2026-11-21T09:05Z', '2026-11-21T10:00Z'],
    ['a tick that is now                ', crontab('* * * * *'),                               '2026-11-21T09:00Z', '2026-11-21T09:01Z', '2026-11-21T09:01Z'],
    ['a week of ticks is skipped        ', crontab('0 * * * *'),                               '2026-11-14T09:00Z', '2026-11-21T09:30Z', '2026-11-21T10:00Z'],
    ['never the same tick again         ', crontab('0 * * * *'),                               '2026-11-21T09:00Z', '2026-11-21T09:00Z', '2026-11-21T10:00Z'],
    ['intervals keep their rhythm       ', { type: 'interval', value: 7, unit: 'minute' },     '2026-11-21T09:00Z', '2026-11-21T09:15Z', '2026-11-21T09:21Z'],
    ['an interval that is now           ', { type: 'interval', value: 7, unit: 'minute' },     '2026-11-21T09:00Z', '2026-11-21T09:14Z', '2026-11-21T09:14Z'],
    ['a year of days                    ', { type: 'interval', value: 1, unit: 'day' },        '2025-11-21T09:00Z', '2026-11-21T09:30Z', '2026-11-22T09:00Z'],
    ['months from the last of a month   ', { type: 'interval', value: 1, unit: 'month' },      '2026-01-31T09:00Z', '2026-04-29T09:00Z', '2026-04-30T09:00Z'],
  ] as const)('finds %s', (_name, schedule, expected, now, want) => {
    const times = { expectedMs: Date.parse(expected), nowMs: Date.parse(now) }
    expect(tickFrom(readSchedule(schedule), 'UTC', times)).toBe(Date.parse(want))
  })
})
