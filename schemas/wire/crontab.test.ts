import { describe, expect, test } from 'vitest'
import { type Crontab, parseCrontab } from './crontab.ts'

function parsed(text: string): Crontab {
  const result = parseCrontab(text)
  if (result.kind === 'invalid') throw new Error(result.rule)
  return result.crontab
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

describe('a field', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['of a single value        ', '5 * * * *',          'minutes',     [5]],
    ['of a star                ', '* * * * *',          'hours',       numbers(0, 23)],
    ['with a step              ', '*/20 * * * *',       'minutes',     [0, 20, 40]],
    ['with a step from a value ', '50/5 * * * *',       'minutes',     [50, 55]],
    ['with a step in a range   ', '10-20/5 * * * *',    'minutes',     [10, 15, 20]],
    ['with a list              ', '3,1,1,2-4 * * * *',  'minutes',     [1, 2, 3, 4]],
    ['of month names           ', '0 0 1 Jan,jun-AUG *', 'months',     [1, 6, 7, 8]],
    ['of day names             ', '0 0 * * mon-fri',    'daysOfWeek',  [1, 2, 3, 4, 5]],
    ['with 7 for Sunday        ', '0 0 * * 7',          'daysOfWeek',  [0]],
    ['with a week to Sunday    ', '0 0 * * sat-sun',    'daysOfWeek',  [0, 6]],
    ['with all days, Sunday 7  ', '0 0 * * 0-7',        'daysOfWeek',  numbers(0, 6)],
    ['with every second weekday', '0 0 * * */2',        'daysOfWeek',  [0, 2, 4, 6]],
    ['in single digits with 0  ', '05 08 01 02 *',      'hours',       [8]],
  ] as const)('%s is read', (_name, text, field, want) => {
    expect(parsed(text)[field]).toEqual(want)
  })
})

test.each([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@Yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['  0   0\t1 1 * ', '0 0 1 1 *'],
])('%s means %s', (text, plain) => {
  expect(parsed(text)).toEqual(parsed(plain))
})

// biome-ignore format: the columns are the point
test.each([
  ['* * 1 * *',   false],
  ['* * * * 1',   false],
  ['* * 1 * 1',   true],
  ['* * */2 * 1', false],
  ['* * 1 * */2', false],
])('in %s either day suffices: %s', (text, want) => {
  expect(parsed(text).eitherDay).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing                     ', '',                  'must have five fields or be a nickname, and has 0'],
  ['four fields                 ', '* * * *',           'must have five fields or be a nickname, and has 4'],
  ['six fields, as with seconds ', '0 * * * * *',       'must have five fields or be a nickname, and has 6'],
  ['a start of the machine      ', '@reboot',           'must not be the unknown nickname @reboot'],
  ['a minute beyond the hour    ', '60 * * * *',        'has "60" as minute, which goes from 0 to 59'],
  ['an hour beyond the day      ', '0 24 * * *',        'has "24" as hour, which goes from 0 to 23'],
  ['day 0                       ', '0 0 0 * *',         'has "0" as day of the month, which goes from 1 to 31'],
  ['a name of another field     ', '0 0 * mon *',       'has "mon" as month, which goes from 1 to 12'],
  ['a range backwards           ', '30-10 * * * *',     'has a minute range that ends before it begins: "30-10"'],
  ['a step of nothing           ', '*/0 * * * *',       'has a step of 0 in its minute'],
  ['the last day                ', '0 0 L * *',         'has "l" as day of the month, which goes from 1 to 31'],
  ['the nearest weekday         ', '0 0 15W * *',       'has "15w" as day of the month, which goes from 1 to 31'],
  ['the second Monday           ', '0 0 * * 1#2',       'has a day of the week that cannot be read: "1#2"'],
  ['no certain day              ', '0 0 ? * *',         'has a day of the month that cannot be read: "?"'],
  ['a hashed minute             ', 'H * * * *',         'has "h" as minute, which goes from 0 to 59'],
  ['a negative number           ', '-5 * * * *',        'has a minute that cannot be read: "-5"'],
  ['an empty part of a list     ', '1,,2 * * * *',      'has a minute that cannot be read: ""'],
  ['a day that never comes      ', '0 0 30 feb *',      'must name a day that exists'],
  ['too much text               ', '0'.repeat(201),     'must have at most 200 characters'],
])('%s is refused', (_name, text, rule) => {
  expect(parseCrontab(text)).toEqual({ kind: 'invalid', rule })
})

test('a day of the month that does not exist is allowed when the weekday also selects days', () => {
  expect(parsed('0 0 31 feb mon').eitherDay).toBe(true)
})
