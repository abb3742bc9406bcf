import { afterAll, beforeEach, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { hourOfWeek } from './forecast.ts'
import { forecastIssues } from './forecast-issues.ts'

const hourMs = 3_600_000
/** Within an hour: the events of the hour that has begun do not count. */
const now = new Date(Date.UTC(2026, 10, 18, 12, 30))
const nowHour = Math.floor(now.getTime() / hourMs)

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
beforeEach(async () => {
  await pg.query('delete from issues')
  await pg.query('delete from sweep_positions')
})
afterAll(async () => {
  await clickhouse?.close()
})

const run = (signal = new AbortController().signal) =>
  forecastIssues({ pg, clickhouse, now, retentionDays: 90, signal })

/** An issue that is a month old. */
async function makeIssue(name: string, eventCount = 10_000, columns = ''): Promise<void> {
  const partition = await TestPartition.takeNew(pg)
  const sum = { eventCount, lastSeenMs: now.getTime(), lastReceivedMs: now.getTime() }
  await partition.commit({ issues: [sumOf(project, [name], sum)] })
  await pg.query(
    `update issues set created_at = $2::timestamptz - interval '40 days' ${columns} where title = $1`,
    [name, now],
  )
}

/** One row with `count - 1` sampled events for each of the hours. */
async function storeEvents(name: string, countOf: (hour: number) => number, weeks = 4) {
  const values = []
  for (let hour = nowHour - weeks * 168; hour <= nowHour; hour += 1) {
    const count = countOf(hour)
    if (count === 0) continue
    values.push({
      project_id: project,
      event_id: dashed(hashOf(`${name} ${hour}`)),
      fingerprint: dashed(hashOf(name)),
      received_at: hour * hourMs + 1000,
      retention_days: 365,
      sampled_ids: Array.from({ length: count - 1 }, (_, at) => dashed(hashOf(`${hour} ${at}`))),
    })
  }
  await clickhouse.insert({ table: 'events', format: 'JSONEachRow', values })
}

async function forecasts() {
  const { rows } = await pg.query(
    `select title, expected, limits, made_at from issue_forecasts join issues on id = issue_id order by title`,
  )
  return rows
}

test('sampled events count, the hour that has begun does not, and seasons are kept', async () => {
  await makeIssue('season')
  const noon = (hour: number) => (hour % 24 === 12 ? 60 : 20)
  await storeEvents('season', (hour) => (hour === nowHour ? 5_000 : noon(hour)))
  expect(await run()).toBe(1)
  const [forecast] = await forecasts()
  expect(forecast.made_at).toEqual(new Date(nowHour * hourMs))
  expect(forecast.expected[hourOfWeek(nowHour - 6)]).toBe(20)
  expect(forecast.limits[hourOfWeek(nowHour - 6)]).toBe(100)
  expect(Math.max(...forecast.limits)).toBeLessThan(400)
})

test('events of several hashes of an issue are added, and those of another project are not', async () => {
  await makeIssue('one')
  await pg.query(
    `insert into issue_hashes (project_id, hash, issue_id, explanation)
     select project_id, $1, id, '{}' from issues`,
    [dashed(hashOf('two'))],
  )
  await storeEvents('one', () => 20)
  await storeEvents('two', () => 10)
  await clickhouse.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: Array.from({ length: 671 }, (_, index) => ({
      project_id: project + 100_000,
      event_id: dashed(hashOf(`foreign ${index}`)),
      fingerprint: dashed(hashOf('one')),
      received_at: (nowHour - 1 - index) * hourMs,
      retention_days: 365,
    })),
  })
  await run()
  expect(new Set((await forecasts())[0].expected)).toEqual(new Set([30]))
})

test('only issues that may escalate and had enough events have a forecast', async () => {
  await makeIssue('few', 167)
  await makeIssue('resolved', 1_000, `, status = 'resolved', substatus = null`)
  await makeIssue('ignored', 1_000, `, status = 'ignored', substatus = null`)
  await makeIssue('waiting', 1_000, `, status = 'ignored', ignored_until_escalating = true`)
  await makeIssue('young', 1_000)
  await pg.query(`update issues set created_at = $1 where title = 'young'`, [now])
  await makeIssue('without events', 1_000)
  expect(await run()).toBe(2)
  expect((await forecasts()).map(({ title }) => title)).toEqual(['waiting', 'without events'])
})

test('a forecast is made again after a day, while the issue has events', async () => {
  await makeIssue('app')
  await run()
  expect(await run()).toBe(0)
  await pg.query(`update issue_forecasts set made_at = made_at - interval '21 hours'`)
  expect(await run()).toBe(1)
  await pg.query(`update issue_forecasts set made_at = made_at - interval '2 days'`)
  await pg.query(`update issues set last_seen = $1::timestamptz - interval '40 days'`, [now])
  expect(await run()).toBe(0)
})

test('hours whose events have expired are not taken for quiet ones', async () => {
  await makeIssue('app')
  await pg.query(`update projects set settings = '{"retention_days": 9}' where dsn_id = $1`, [
    project,
  ])
  // ClickHouse deletes expired rows.
  await storeEvents('app', (hour) => (hour > nowHour - 9 * 24 ? 100 : 0))
  await run()
  expect(new Set((await forecasts())[0].expected)).toEqual(new Set([100]))
})

test('a run that was interrupted is continued', async () => {
  await makeIssue('a')
  const stopped = new AbortController()
  stopped.abort()
  expect(await run(stopped.signal)).toBe(0)
  expect(await run()).toBe(1)
})
