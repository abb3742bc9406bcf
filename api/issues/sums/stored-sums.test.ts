/**
 * Rows of versions without the columns and sums of schemas/clickhouse/0009, 0023 and 0027: a search
 * finds them, and their users count. And queries use the sums where they are stored.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { migrateClickHouse, readMigrations } from '#platform/installation/migrate.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { startStores, type TestStores } from '../../../test/fixtures/processes/stores.ts'
import type { ClickHouse } from '../../database.ts'
import { derivedTagExpressions } from '../../events/derived-tags.ts'
import { readHourlySeries } from '../facts/hourly-series.ts'
import { readOwnTags } from '../facts/own-tag-store.ts'
import { countValues } from '../facts/value-count-store.ts'
import { readIssueStats } from '../issue-stats.ts'
import { readUserCounts } from './issue-sums.ts'

const projectId = 7 as ProjectId
const nowMs = Date.UTC(2026, 10, 21, 12)
const hash = (index: number) => `00000000-0000-0000-0000-00000000000${index}`
const issues = [1, 2, 3].map((index) => ({
  ...{ id: `issue ${index}`, hashes: [hash(index)] },
  ...{ count: 3, last_seen: new Date(nowMs - 3_600_000) },
}))

let stores: TestStores
let client: ClickHouseClient

beforeAll(async () => {
  stores = await startStores()
  const setup = createClickHouse(stores.clickhouseUrl, 'test')
  await setup.command({ query: 'create database older' })
  await setup.close()
  const url = new URL(stores.clickhouseUrl)
  url.pathname = '/older'
  client = createClickHouse(url.href, 'test')
  const files = await readMigrations('clickhouse')
  await migrateClickHouse(client, files.slice(0, 8))
  await insertAsBefore(1)
  await migrateClickHouse(client, files)
  // A process of the former version that runs beside this one.
  await insertAsBefore(2)
})

afterAll(async () => {
  await client?.close()
  await stores?.stop()
})

/** Without the new columns. */
async function insertAsBefore(index: number): Promise<void> {
  const contexts = { trace: { trace_id: `trace${index}` }, os: { name: 'Linux' }, browser: 1 }
  await client.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: ['ann', 'bob', 'ann'].map((user) => ({
      project_id: projectId,
      event_id: crypto.randomUUID(),
      fingerprint: hash(index),
      received_at: nowMs - 3_600_000,
      retention_days: 3_650,
      environment: 'production',
      user_id: user,
      payload: JSON.stringify({
        transaction: `GET /${index}`,
        request: { url: `https://shop.example/${index}`, method: 'GET' },
        contexts,
      }),
    })),
  })
}

function reader(settings: Record<string, string> = {}): ClickHouse {
  return {
    select: async <Row>(query: string, parameters: Readonly<Record<string, unknown>>) => {
      const result = await client.query({
        query,
        query_params: { ...parameters },
        format: 'JSONEachRow',
        clickhouse_settings: { ...settings, output_format_json_quote_64bit_integers: 0 },
      })
      return result.json<Row>()
    },
  }
}

test('fields of rows from before are read from their payload', async () => {
  const rows = await reader().select(
    `select url, http_method, transaction, trace_id, os_name, browser_name, count() as events
     from events group by all order by url`,
    {},
  )
  expect(rows).toEqual(
    [1, 2].map((index) => ({
      url: `https://shop.example/${index}`,
      http_method: 'GET',
      transaction: `GET /${index}`,
      trace_id: `trace${index}`,
      os_name: 'Linux',
      browser_name: '',
      events: 3,
    })),
  )
})

test('users and names of rows from before count', async () => {
  const statsOf = await readIssueStats(reader(), { projectId, issues, nowMs })
  for (const { id } of issues.slice(0, 2)) {
    expect(statsOf(id)).toMatchObject({
      userCount: 2,
      environments: ['production'],
      components: [],
    })
    expect(statsOf(id).series24h.reduce((sum, events) => sum + events)).toBe(3)
  }
  expect(statsOf('issue 3').hasEvents).toBe(false)
})

test('the sums are used for users', async () => {
  // An error if the query does not fit the projection.
  const forced = reader({ force_optimize_projection_name: 'issue_users' })
  const numberOf = await readUserCounts(forced, { projectId, issues, nowMs })
  expect(issues.map(({ id }) => numberOf(id))).toEqual([2, 2, 0])
  const stats: ClickHouse = {
    select: (query, parameters) =>
      (query.includes('uniqIf') ? forced : reader()).select(query, parameters),
  }
  const statsOf = await readIssueStats(stats, { projectId, issues, nowMs })
  expect(statsOf('issue 2').userCount).toBe(2)
})

test('sums are read again when an issue has more events, and not before', async () => {
  let reads = 0
  const counting: ClickHouse = {
    select: (query, parameters) => {
      if (query.includes('uniqIf')) reads += 1
      return reader().select(query, parameters)
    },
  }
  const lookup = { projectId, issues: issues.slice(0, 1), nowMs }
  expect((await readUserCounts(counting, lookup))('issue 1')).toBe(2)
  expect((await readUserCounts(counting, lookup))('issue 1')).toBe(2)
  expect(reads).toBe(1)
  const [issue] = issues
  const grown = { ...lookup, issues: [{ ...issue!, count: 4 }] }
  expect((await readIssueStats(counting, grown))('issue 1').userCount).toBe(2)
  expect(reads).toBe(2)
})

test('names that are known are joined with those of new events', async () => {
  const clickhouse = reader()
  const [issue] = issues
  const lookup = { projectId, issues: [issue!], nowMs }
  expect((await readIssueStats(clickhouse, lookup))('issue 1').environments).toEqual(['production'])
  await client.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: [
      {
        ...{ project_id: projectId, event_id: crypto.randomUUID(), fingerprint: hash(1) },
        ...{ received_at: nowMs - 1_000, retention_days: 3_650, user_id: 'ann' },
        ...{ environment: 'canary', component: 'worker' },
      },
    ],
  })
  const grown = { ...lookup, issues: [{ ...issue!, count: 4 }] }
  expect((await readIssueStats(clickhouse, grown))('issue 1')).toMatchObject({
    userCount: 2,
    environments: ['canary', 'production'],
    components: ['worker'],
  })
})

test('names are read from their projection', async () => {
  const forced = reader({ force_optimize_projection_name: 'issue_names' })
  let reads = 0
  const clickhouse: ClickHouse = {
    select: (query, parameters) => {
      const isOfNames = query.includes('groupUniqArrayIf') && !query.includes('sumMap')
      if (isOfNames) reads += 1
      return (isOfNames ? forced : reader()).select(query, parameters)
    },
  }
  const statsOf = await readIssueStats(clickhouse, { projectId, issues, nowMs })
  const names = [['canary', 'production'], ['production'], []]
  expect(issues.map(({ id }) => statsOf(id).environments)).toEqual(names)
  expect(reads).toBe(1)
})

test('the page of an issue reads its events from their projection', async () => {
  await client.command({
    query: `insert into events (project_id, event_id, fingerprint, received_at, retention_days, os_name, tags)
      select ${projectId}, generateUUIDv4(), if(number % 5000 = 0, toUUID('${hash(7)}'), generateUUIDv4()),
        fromUnixTimestamp64Milli(toInt64(${nowMs} - number * 10_000)), 3_650, 'BeOS', map('queue', 'mail')
      from numbers(20_000)`,
  })
  // An error if ClickHouse reads the table.
  const forced = reader({ force_optimize_projection_name: 'issue_facts' })
  const events = { projectId, hashes: [hash(7)], sinceMs: undefined }
  const expressions = [...derivedTagExpressions, 'project_id', 'component']
  const counts = await countValues(forced, { ...events, expressions, valuesMax: 9 })
  const os = counts[derivedTagExpressions.indexOf('os_name')]
  expect(os).toEqual({ values: [{ value: 'BeOS', count: 4 }], distinct: 1 })
  expect(await readOwnTags(forced, events)).toEqual({ queue: [{ value: 'mail', count: 4 }] })
  const hourly = await readHourlySeries(forced, { ...events, nowMs })
  expect(hourly.reduce((sum, ofHour) => sum + ofHour)).toBe(4)
})

test('events that were stored before get the columns, indexes and sums in the background', async () => {
  await expect
    .poll(async () => {
      const [row] = await reader().select<{ left: number; without: number }>(
        `select
           (select count() from system.mutations
             where database = currentDatabase() and table = 'events' and not is_done) as left,
           (select countIf(not hasAll(projections, ['issue_users', 'issue_names', 'issue_facts'])
               or has(projections, 'issue_sums'))
             from system.parts where active and database = currentDatabase() and table = 'events'
           ) as without`,
        {},
      )
      return row
    })
    .toEqual({ left: 0, without: 0 })
})
