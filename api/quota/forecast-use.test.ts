import { expect, test } from 'vitest'
import { forecastUse, type QuotaUse } from './forecast-use.ts'

const day = 86_400_000
const use: QuotaUse = {
  used: 0,
  limit: null,
  startMs: 0,
  endMs: 30 * day,
  nowMs: 10 * day,
  recentEvents: 0,
}

// biome-ignore format: the columns are the point
test.each([
  ['nothing used',                        {},                                                     { events: 0,     by_period: 0,    by_last_7_days: 0,     limit_reached_at: null }],
  ['the rate of the period',              { used: 100, recentEvents: 7 },                         { events: 300,   by_period: 300,  by_last_7_days: 120,   limit_reached_at: null }],
  ['more in the last week',               { used: 100, recentEvents: 70 },                        { events: 300,   by_period: 300,  by_last_7_days: 300,   limit_reached_at: null }],
  ['a burst in the last week',            { used: 100, recentEvents: 700 },                       { events: 2_100, by_period: 300,  by_last_7_days: 2_100, limit_reached_at: null }],
  ['last month in the last week',         { used: 10, nowMs: day, recentEvents: 700 },            { events: 2_910, by_period: 300,  by_last_7_days: 2_910, limit_reached_at: null }],
  ['the first minute',                    { used: 10, nowMs: 60_000, recentEvents: 0 },           { events: 310,   by_period: 310,  by_last_7_days: 10,    limit_reached_at: null }],
  ['the end',                             { used: 10, nowMs: 30 * day, recentEvents: 70 },        { events: 10,    by_period: 10,   by_last_7_days: 10,    limit_reached_at: null }],
  ['without ClickHouse',                  { used: 100, recentEvents: undefined },                 { events: 300,   by_period: 300,  by_last_7_days: null,  limit_reached_at: null }],
  ['a limit that holds',                  { used: 100, limit: 300 },                              { events: 300,   by_period: 300,  by_last_7_days: 100,   limit_reached_at: null }],
  ['a limit that is reached',             { used: 100, limit: 200 },                              { events: 300,   by_period: 300,  by_last_7_days: 100,   limit_reached_at: '1970-01-21T00:00:00.000Z' }],
  ['a limit that was reached',            { used: 100, limit: 100 },                              { events: 300,   by_period: 300,  by_last_7_days: 100,   limit_reached_at: '1970-01-11T00:00:00.000Z' }],
  ['a limit of zero',                     { limit: 0 },                                           { events: 0,     by_period: 0,    by_last_7_days: 0,     limit_reached_at: '1970-01-11T00:00:00.000Z' }],
  ['a limit and no events',               { limit: 5 },                                           { events: 0,     by_period: 0,    by_last_7_days: 0,     limit_reached_at: null }],
] as const)('%s', (_name, given, want) => {
  expect(forecastUse({ ...use, ...given })).toEqual(want)
})
