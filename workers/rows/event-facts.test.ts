/**
 * The workers write facts of events, and ClickHouse reads them from the payload in rows of versions
 * that did not write them. Both must agree.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { DsnKeyNo, EventId, ProjectId } from '#schemas/ids.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { eventFacts } from './event-facts.ts'
import { eventColumns, writeEventRow, writeSampledEvents } from './event-row.ts'
import { RowBinaryWriter } from './row-binary.ts'
import { insertRows } from './row-store.ts'
import { Stacks } from './stacks.ts'

const folder = new URL('../../test/fixtures/sdk-events/', import.meta.url)
/** The old version, which wrote the columns up to here. */
const oldColumns = eventColumns.slice(0, eventColumns.indexOf('os'))
/** Only what the workers know of threads says whether one is the main thread. */
const facts = Object.keys(eventFacts).filter((name) => name !== 'main_thread')

const made = {
  platform: 'javascript',
  user: { geo: { country_code: 'DE', region: 'Bavaria', city: 'Zür\u0000ich' } },
  contexts: {
    os: { name: 'Windows', version: '10' },
    browser: { name: 'Chrome' },
    runtime: { version: '22.1.0' },
    device: { family: 'Pixel', brand: 'Google', arch: 'arm64', model: 7 },
    response: { status_code: 503 },
  },
  exception: {
    values: [
      { type: 'KeyError', value: 'ü'.repeat(1_000) },
      { type: 'ValueError', value: '"a"', mechanism: { type: 'generic', handled: true } },
    ],
  },
}
const hostile = {
  contexts: { os: 'Windows', browser: { name: null }, response: { status_code: '404' } },
  exception: { values: [{ type: 'E', mechanism: { type: 'onerror', handled: 'no' } }] },
}

let stores: TestStores
let clickhouse: ClickHouseClient

beforeAll(async () => {
  stores = await startStores()
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
})

afterAll(async () => {
  await clickhouse?.close()
  await stores?.stop()
})

test('ClickHouse reads from the payload what the workers write', async () => {
  const recorded = readdirSync(folder).map((name) => readFileSync(new URL(name, folder)))
  const bodies = [...recorded, ...[made, hostile].map((event) => JSON.stringify(event))]
  const row = new RowBinaryWriter(1 << 20)
  const stacks = new Stacks()
  let written = 0
  for (const [index, body] of bodies.entries()) {
    const normalized = normalizeEvent({
      payload: Buffer.from(body),
      eventId: `${index}`.padStart(32, '0') as EventId,
      receivedAtMs: Date.UTC(2026, 10, 20),
    })
    if (normalized.kind !== 'event') continue
    const { event } = normalized
    const projectId = 1 as ProjectId
    const grouping = groupEvent(event)
    const place = { partition: 0, generation: 1, streamSeq: index, recordIndex: 0 }
    const position = { ...place, projectId, dsnKeyNo: 1 as DsnKeyNo, retentionDays: 900 }
    const stack = stacks.take(projectId, grouping.hashes[0].hash, event)
    writeEventRow(row, event, { grouping, position, stack })
    writeSampledEvents(row, { ids: [], receivedAtMs: [] })
    written += 1
  }
  await insertRows(clickhouse, { table: 'events', rows: row.finish(), token: 'new' })
  const columns = oldColumns.map((name) => (name === 'project_id' ? '2 as project_id' : name))
  await clickhouse.command({
    query: `insert into events (${oldColumns.join(', ')}) select ${columns.join(', ')} from events`,
  })
  const rowsOf = async (projectId: number) => {
    const stack = ['functions', 'filenames', 'abs_paths', 'modules', 'packages']
      .map(
        (name) => `arraySort(arrayDistinct(arrayFilter(x -> x != '', stack_${name}))) as ${name}`,
      )
      .join(', ')
    const result = await clickhouse.query({
      query: `select stream_seq, ${facts.join(', ')}, error_types, error_values, tag_ids, ${stack}
        from events where project_id = ${projectId} order by stream_seq`,
      format: 'JSONEachRow',
    })
    return result.json<Record<string, unknown>>()
  }
  const [fresh, old] = await Promise.all([rowsOf(1), rowsOf(2)])
  expect(fresh).toHaveLength(written)
  expect(old).toEqual(fresh)
  expect(fresh.at(-2)).toMatchObject({
    os: 'Windows 10',
    browser: 'Chrome',
    runtime: '22.1.0',
    http_status: '503',
    handled: 'yes',
    geo_city: 'Zürich',
    error_types: ['KeyError', 'ValueError'],
    error_values: ['ü'.repeat(250), '"a"'],
  })
  expect(fresh.at(-1)).toMatchObject({ os: '', browser: '', http_status: '404', handled: '' })
})
