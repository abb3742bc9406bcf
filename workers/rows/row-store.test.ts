/**
 * Compares the row writers with their tables: the format is positional, so one misplaced column
 * breaks a row.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { DsnKeyNo, EventId, ProjectId } from '#schemas/ids.ts'
import { projectIdMax } from '#schemas/ids.ts'
import { storedText } from '#schemas/stored-text.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import { type OutcomeKey, OutcomeTally, outcomeColumns } from '../digest/outcome-tally.ts'
import type { Grouping } from '../grouping/grouping.ts'
import type { EventException, NormalizedEvent } from '../normalize/event.ts'
import { type EventPosition, eventColumns, writeEventRow, writeSampledEvents } from './event-row.ts'
import { RowBinaryWriter } from './row-binary.ts'
import { insertRows } from './row-store.ts'
import type { RowStack } from './stacks.ts'

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

beforeEach(async () => {
  await clickhouse.command({ query: 'truncate table events' })
  await clickhouse.command({ query: 'truncate table outcomes' })
})

async function select(table: 'events' | 'outcomes', order: string) {
  const result = await clickhouse.query({
    query: `select * from ${table} order by ${order}`,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  return result.json<Record<string, unknown>>()
}

const grouping: Grouping = {
  algorithm: 'g1',
  path: 'exception-stack',
  hashes: [
    { variant: 'app', hash: '00112233445566778899aabbccddeeff' },
    { variant: 'system', hash: 'ffeeddccbbaa99887766554433221100' },
  ],
  title: 'TypeError: größer als 🦆 "quoted"\n\\n\tend',
  culprit: 'cart.add',
  exceptionType: 'TypeError',
  explain: () => {
    throw new Error('a row needs no explanation')
  },
  kind: () => 'type TypeError',
  coarsen: () => grouping,
}

const exception: EventException = {
  type: '',
  value: '',
  module: '',
  frames: [],
  mechanism: {
    type: 'generic',
    handled: false,
    synthetic: false,
    exceptionId: undefined,
    parentId: undefined,
    isExceptionGroup: false,
    nsError: undefined,
    signal: undefined,
  },
}

const event = written<NormalizedEvent>({
  eventId: '5f0c1d2e3a4b4c5d8e9f001122334455' as EventId,
  occurredAtMs: Date.UTC(2026, 10, 20, 10, 0, 5, 7),
  receivedAtMs: Date.UTC(2026, 10, 20, 23, 59, 59, 999),
  level: 'fatal',
  platform: 'python',
  logger: 'shop.cart',
  transaction: '/cart',
  serverName: 'web-1',
  release: 'shop@1.2.3+4',
  dist: '4',
  environment: 'prodüktion',
  component: 'worker',
  sdk: 'sentry.python/2.0.0',
  user: { id: '17', email: 'ä@example.com', name: '山田', ip: '2001:db8::1' },
  tags: [
    ['browser', 'Firefox'],
    ['empty', ''],
    ['schlüssel', 'a=b, {c}'],
  ],
  message: undefined,
  exceptions: [
    { ...exception, type: 'KeyError', value: "'total'", mechanism: undefined },
    { ...exception, type: 'TypeError', value: 'größer als 🦆' },
  ],
  threads: [{ id: '1', name: 'MainThread', crashed: true, current: true, frames: [] }],
  frames: [],
  fingerprint: undefined,
  checksum: undefined,
  securityReport: undefined,
  images: [],
  request: undefined,
  payload: `{"long":"${'ü'.repeat(100_000)}"}`,
  inPayload: {
    transaction: '/cart',
    threads: { values: [{ main: true }] },
    request: { url: 'https://shop.example/ü?a=b', method: 'GET' },
    contexts: {
      trace: { trace_id: '0'.repeat(32) },
      os: { name: 'Linux', version: '6.1' },
      browser: { name: 17 },
      device: { model: 'a\u0007b', family: 'Pixel', brand: '', arch: { toString: 'arm64' } },
      runtime: { name: 'CPython', version: '3.12.1' },
      response: { status_code: 502 },
    },
    user: { geo: { country_code: 'JP', city: '東京', region: null } },
  },
})

const stack: RowStack = {
  id: 2 ** 52 - 1,
  names: {
    functions: ['add', 'größer'].map((name) => storedText(name)),
    filenames: [storedText('cart.py')],
    absPaths: [storedText('/srv/cart.py')],
    modules: [],
    packages: [storedText('shop')],
    inApp: 'yes',
  },
}

const position: EventPosition = {
  projectId: projectIdMax as ProjectId,
  dsnKeyNo: (2 ** 32 - 1) as DsnKeyNo,
  retentionDays: 65_535,
  partition: 65_535,
  generation: 2 ** 32 - 1,
  streamSeq: Number.MAX_SAFE_INTEGER,
  recordIndex: 2 ** 32 - 2,
}

function eventRow(
  fields: Partial<Plain<NormalizedEvent>> = {},
  at: Partial<EventPosition> = {},
  sampled: Parameters<typeof writeSampledEvents>[1] = { ids: [], receivedAtMs: [] },
) {
  const row = new RowBinaryWriter(64)
  writeEventRow(row, written<NormalizedEvent>({ ...event, ...fields }), {
    grouping,
    position: { ...position, ...at },
    stack,
  })
  writeSampledEvents(row, sampled)
  return row.finish()
}

describe('The column lists', () => {
  test.each([
    ['events', eventColumns],
    ['outcomes', outcomeColumns],
  ] as const)('of %s equal the columns of the table in order', async (table, columns) => {
    const result = await clickhouse.query({
      query: `select name from system.columns
        where database = currentDatabase() and table = '${table}' and default_kind != 'MATERIALIZED' order by position`,
      format: 'JSONEachRow',
    })
    const names = (await result.json<{ name: string }>()).map(({ name }) => name)
    expect(columns).toEqual(names)
  })
})

describe('Event rows', () => {
  test('have every field, at the bounds of every number', async () => {
    await insertRows(clickhouse, { table: 'events', rows: eventRow(), token: 'full' })
    expect(await select('events', 'stream_seq')).toEqual([
      {
        project_id: '281474976710655',
        event_id: '5f0c1d2e-3a4b-4c5d-8e9f-001122334455',
        fingerprint: '00112233-4455-6677-8899-aabbccddeeff',
        occurred_at: '2026-11-20T10:00:05.007Z',
        received_at: '2026-11-20T23:59:59.999Z',
        level: 'fatal',
        platform: 'python',
        title: 'TypeError: größer als 🦆 "quoted"\n\\n\tend',
        culprit: 'cart.add',
        exception_type: 'TypeError',
        logger: 'shop.cart',
        release: 'shop@1.2.3+4',
        dist: '4',
        environment: 'prodüktion',
        component: 'worker',
        server_name: 'web-1',
        sdk: 'sentry.python/2.0.0',
        user_id: '17',
        user_email: 'ä@example.com',
        user_name: '山田',
        user_ip: '2001:db8::1',
        tags: { browser: 'Firefox', empty: '', schlüssel: 'a=b, {c}' },
        grouping: JSON.stringify({
          algorithm: 'g1',
          path: 'exception-stack',
          hashes: grouping.hashes,
        }),
        payload: event.payload,
        dsn_key_no: 4294967295,
        retention_days: 65535,
        partition: 65535,
        stream_generation: 4294967295,
        stream_seq: '9007199254740991',
        record_index: 4294967294,
        url: 'https://shop.example/ü?a=b',
        http_method: 'GET',
        transaction: '/cart',
        trace_id: '0'.repeat(32),
        os_name: 'Linux',
        // Not a text.
        browser_name: '',
        device_model: 'ab',
        runtime_name: 'CPython',
        os: 'Linux 6.1',
        browser: '',
        runtime: 'CPython 3.12.1',
        device_family: 'Pixel',
        device_brand: '',
        device_arch: '',
        geo_country: 'JP',
        geo_region: '',
        geo_city: '東京',
        http_status: '502',
        mechanism: 'generic',
        handled: 'no',
        main_thread: 'yes',
        error_types: ['KeyError', 'TypeError'],
        error_values: ["'total'", 'größer als 🦆'],
        stack_id: '4503599627370495',
        stack_functions: ['add', 'größer'],
        stack_filenames: ['cart.py'],
        stack_abs_paths: ['/srv/cart.py'],
        stack_modules: [],
        stack_packages: ['shop'],
        stack_in_app: 'yes',
        sampled_ids: [],
        sampled_received_at: [],
      },
    ])
  })

  test('of an empty event have empty fields in the right columns', async () => {
    const texts = {
      logger: '',
      serverName: '',
      release: '',
      dist: '',
      environment: '',
      component: '',
      sdk: '',
      user: { id: '', email: '', name: '', ip: '' },
      tags: [],
      payload: '',
    }
    const rows = Buffer.concat([
      eventRow(texts, { streamSeq: 0, recordIndex: 0 }),
      eventRow({}, { streamSeq: 1, recordIndex: 1 }),
    ])
    await insertRows(clickhouse, { table: 'events', rows, token: 'empty' })
    const [first, second] = await select('events', 'stream_seq')
    expect(first).toMatchObject({
      logger: '',
      release: '',
      user_id: '',
      user_ip: '',
      tags: {},
      payload: '',
      stream_seq: '0',
      record_index: 0,
    })
    expect(second).toMatchObject({ logger: 'shop.cart', stream_seq: '1', record_index: 1 })
  })

  test('contain the ids and times of the events that they represent', async () => {
    const sampled = {
      ids: ['ffeeddccbbaa99887766554433221100', '00112233445566778899aabbccddeeff'],
      receivedAtMs: [Date.UTC(2026, 10, 20, 23, 0, 0, 1), Date.UTC(2106, 0, 1)],
    }
    await insertRows(clickhouse, {
      table: 'events',
      rows: Buffer.concat([
        eventRow({}, { streamSeq: 1 }, sampled),
        eventRow({}, { streamSeq: 2 }),
      ]),
      token: 'sampled',
    })
    expect(await select('events', 'stream_seq')).toMatchObject([
      {
        sampled_ids: [
          'ffeeddcc-bbaa-9988-7766-554433221100',
          '00112233-4455-6677-8899-aabbccddeeff',
        ],
        sampled_received_at: ['2026-11-20T23:00:00Z', '2106-01-01T00:00:00Z'],
      },
      { stream_seq: '2', sampled_ids: [], sampled_received_at: [] },
    ])
  })

  test('hold the maximum number of tags of an event', async () => {
    const tags = Array.from({ length: 200 }, (_, at) => [`key ${at}`, `${at}`] as const)
    const rows = eventRow({ tags })
    await insertRows(clickhouse, { table: 'events', rows, token: 'tags' })
    expect(await select('events', 'stream_seq')).toMatchObject([{ tags: Object.fromEntries(tags) }])
  })
})

describe('Outcome rows', () => {
  test('have every field, with the hour', async () => {
    const key = written<OutcomeKey>({
      projectId: projectIdMax as ProjectId,
      dsnKeyNo: 7 as DsnKeyNo,
      component: 'prüfer',
      sdk: 'sentry.rust',
      receivedAtMs: Date.UTC(2026, 10, 20, 23, 59, 59, 999),
      outcome: 'rejected',
      reason: 'too_large',
      category: 'error',
    })
    const tally = new OutcomeTally()
    tally.add(key, Number.MAX_SAFE_INTEGER)
    const plain = { component: '', sdk: '', outcome: 'accepted', reason: '' } as const
    tally.add(written<OutcomeKey>({ ...key, ...plain, dsnKeyNo: 0 as DsnKeyNo }), 1)
    const row = new RowBinaryWriter(64)
    tally.write(row)
    await insertRows(clickhouse, { table: 'outcomes', rows: row.finish(), token: 'outcomes' })
    const shared = { project_id: '281474976710655', hour: '2026-11-20T23:00:00Z' }
    expect(await select('outcomes', 'dsn_key_no')).toEqual([
      {
        ...shared,
        ...{ dsn_key_no: 0, component: '', sdk: '', outcome: 'accepted', reason: '' },
        ...{ category: 'error', quantity: '1' },
      },
      {
        ...shared,
        ...{
          dsn_key_no: 7,
          component: 'prüfer',
          sdk: 'sentry.rust',
          outcome: 'rejected',
          reason: 'too_large',
        },
        ...{ category: 'error', quantity: '9007199254740991' },
      },
    ])
  })
})

describe('Tokens', () => {
  test('a repeated token adds no rows, another one does', async () => {
    for (const token of ['p1:1:0-10:events', 'p1:1:0-10:events', 'p1:1:10-20:events']) {
      await insertRows(clickhouse, { table: 'events', rows: eventRow(), token })
    }
    expect(await select('events', 'stream_seq')).toHaveLength(2)
  })

  test('outcomes are summed once for each token', async () => {
    const tally = new OutcomeTally()
    const key = {
      projectId: 1 as ProjectId,
      dsnKeyNo: 1 as DsnKeyNo,
      component: '',
      sdk: '',
      reason: '',
    }
    tally.add(
      written<OutcomeKey>({
        ...key,
        ...{ receivedAtMs: event.receivedAtMs, outcome: 'accepted', category: 'error' },
      }),
      5,
    )
    const row = new RowBinaryWriter(64)
    tally.write(row)
    const rows = row.finish()
    for (const token of ['a', 'a', 'b', 'b']) {
      await insertRows(clickhouse, { table: 'outcomes', rows, token })
    }
    const result = await clickhouse.query({
      query: 'select toUInt32(sum(quantity)) as quantity from outcomes',
      format: 'JSONEachRow',
    })
    expect(await result.json()).toEqual([{ quantity: 10 }])
  })

  test('a retry that is concurrent with the first attempt adds nothing', async () => {
    const insert = { table: 'events', rows: eventRow(), token: 'at once' } as const
    await Promise.all([1, 2, 3, 4].map(() => insertRows(clickhouse, insert)))
    expect(await select('events', 'stream_seq')).toHaveLength(1)
  })

  test('truncated rows fail, store nothing and do not use up their token', async () => {
    const rows = eventRow()
    const cut = { table: 'events', rows: rows.subarray(0, rows.length - 3), token: 'cut' } as const
    await expect(insertRows(clickhouse, cut)).rejects.toThrow()
    expect(await select('events', 'stream_seq')).toEqual([])
    await insertRows(clickhouse, { ...cut, rows })
    expect(await select('events', 'stream_seq')).toHaveLength(1)
  })

  test('a full range becomes a part with one file for all columns', async () => {
    const row = eventRow()
    const copies = Math.ceil((20 * 1024 * 1024) / row.length)
    const rows = Buffer.concat(Array.from({ length: copies }, () => row))
    await insertRows(clickhouse, { table: 'events', rows, token: 'full' })
    const result = await clickhouse.query({
      query: `select part_type, toUInt32(rows) as stored from system.parts
        where database = currentDatabase() and table = 'events' and active`,
      format: 'JSONEachRow',
    })
    expect(await result.json()).toEqual([{ part_type: 'Compact', stored: copies }])
  })
})
