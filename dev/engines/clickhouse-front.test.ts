import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClickHouse } from '#platform/clickhouse.ts'
import { inheritedEnv } from '#platform/env.ts'
import { freePort } from '../processes/free-port.ts'
import { ManagedProcess } from '../processes/managed-process.ts'
import { embeddedClickHouse } from './clickhouse.ts'
import { readSecrets } from './secrets.ts'

let folder: string
let url: string
let front: ManagedProcess
let client: ClickHouseClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-clickhouse-'))
  await chmod(folder, 0o711)
  const { clickhouse: password } = await readSecrets(folder)
  const engine = embeddedClickHouse({
    dataDir: folder,
    port: await freePort(),
    password,
    env: inheritedEnv(),
  })
  url = engine.url.replace(/\/sluice$/, '/default')
  front = new ManagedProcess(engine.plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  await front.start()
  client = createClickHouse(url, 'test')
})

afterAll(async () => {
  await client?.close()
  await front?.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  await client.command({ query: 'drop table if exists emails' })
  await client.command({
    query: `create table emails (name String, number UInt32) engine = MergeTree order by name
            settings non_replicated_deduplication_window = 100`,
  })
})

test.runIf(process.platform === 'linux')('queries go before merges', async () => {
  for (const token of ['one', 'two']) await insertBinary([['a', 1]], token)
  await client.command({ query: 'optimize table emails final' })
  const tasks = `/proc/${front.pid}/task`
  const lowered = () =>
    readdirSync(tasks)
      .filter((id) => readFileSync(`${tasks}/${id}/comm`, 'utf8').trim() === 'MergeMutate')
      .map((id) => getPriority(Number(id)) - getPriority(front.pid))
  await expect.poll(lowered).not.toEqual([])
  await expect.poll(() => Math.min(...lowered())).toBeGreaterThan(0)
})

test('rows inserted twice under one token are stored once', async () => {
  for (const token of ["o'ne\\", "o'ne\\", 'two']) await insertBinary([['a', 1]], token)
  expect(await count()).toBe(2)
})

test('an insert without a token is not deduplicated by the token of the previous insert', async () => {
  await insertBinary([['a', 1]], 'one')
  await client.insert({
    table: 'emails',
    values: [{ name: 'b', number: 2 }],
    format: 'JSONEachRow',
  })
  expect(await count()).toBe(2)
})

test('an empty body inserts nothing', async () => {
  await insertBinary([], 'none')
  expect(await count()).toBe(0)
})

test('an insert with truncated rows is rejected and stores nothing', async () => {
  const bytes = binaryRows([['abc', 1]])
  const response = await call('insert into emails FORMAT RowBinary', bytes.subarray(0, 5))
  expect(response.status).not.toBe(200)
  expect(await count()).toBe(0)
})

test('a gzip body is decompressed, and a body that is not gzip gets a 400', async () => {
  const gzip = { 'content-encoding': 'gzip' }
  const insert = 'insert into emails FORMAT JSONEachRow'
  const good = await call(insert, gzipSync('{"name":"z","number":9}\n'), gzip)
  expect(good.status).toBe(200)
  const bad = await call(insert, Buffer.from('not gzip'), gzip)
  expect(bad.status).toBe(400)
  expect(await count()).toBe(1)
})

test.each([
  ['a quote and a backslash', "it's \\ 'quoted'"],
  ['a tab and a line break', 'one\ttwo\nthree'],
  ['SQL', "'; drop table emails; --"],
  ['other scripts', 'żółć 🦆'],
])('a parameter is never parsed as SQL: %s', async (_name, value) => {
  const rows = await select('select {value:String} as value', { value })
  expect(rows).toEqual([{ value }])
})

test('parameters may be numbers, lists and null', async () => {
  const query =
    'select {n:UInt64} as n, {list:Array(String)} as list, {none:Nullable(String)} as none'
  const rows = await select(query, { n: 7, list: ["a'b", 'c\\d'], none: null })
  // Whether 64-bit numbers are quoted depends on a setting whose default depends on the version.
  expect(rows.map((row) => ({ ...row, n: Number(row['n']) }))).toEqual([
    { n: 7, list: ["a'b", 'c\\d'], none: null },
  ])
})

test('a parameter of one call is unknown to the next', async () => {
  await select('select {secret:String} as s', { secret: 'x' })
  // More calls than sessions, so that one of them uses the session of the first.
  for (let attempt = 0; attempt < 6; attempt++) {
    await expect(select('select {secret:String} as s', {})).rejects.toMatchObject({ code: '456' })
  }
})

test('settings apply to their own call only', async () => {
  const query = "select getSetting('max_threads') as threads"
  const read = async (settings: { max_threads?: number }) => {
    const result = await client.query({
      query,
      format: 'JSONEachRow',
      clickhouse_settings: settings,
    })
    return (await result.json<{ threads: string }>())[0]?.threads
  }
  const before = await read({})
  expect(String(await read({ max_threads: 3 }))).toBe('3')
  for (let attempt = 0; attempt < 6; attempt++) expect(await read({})).toEqual(before)
})

// biome-ignore format: the columns are the point
test.each([
  ['a syntax error        ', 'selec 1',                              '62', 'SYNTAX_ERROR',     400],
  ['an unknown table      ', 'select * from nowhere',                '60', 'UNKNOWN_TABLE',    404],
  ['an unknown database   ', 'select * from nowhere.emails',        '81', 'UNKNOWN_DATABASE', 404],
  ['an unknown column     ', 'select nothing from emails',          '47', 'UNKNOWN_IDENTIFIER', 404],
  ['an unknown setting    ', 'select 1 settings no_such_setting = 1', '115', 'UNKNOWN_SETTING', 404],
  ['a failing function    ', "select throwIf(1, 'no')",              '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', 500],
])('%s fails as on a ClickHouse server', async (_name, query, code, type, status) => {
  await expect(client.command({ query })).rejects.toMatchObject({ code, type })
  const response = await call(query)
  expect(response.status).toBe(status)
  expect(response.headers.get('x-clickhouse-exception-code')).toBe(code)
})

test('an unknown setting in the URL fails its own call and no later one', async () => {
  const settings = { max_block_size: '1', no_such_setting: '1' }
  const broken = await call('select 1', undefined, {}, settings)
  expect(broken.status).toBe(404)
  for (let attempt = 0; attempt < 6; attempt++) expect(await count()).toBe(0)
})

test('a wrong password is rejected', async () => {
  const stranger = createClient({ url: url.replace(/:[^:@]*@/, ':wrong@') })
  await expect(stranger.command({ query: 'select 1' })).rejects.toMatchObject({ code: '516' })
  await stranger.close()
})

test('ping, query id and summary match those of a ClickHouse server', async () => {
  expect(await client.ping()).toEqual({ success: true })
  const result = await client.query({ query: 'select 1', query_id: 'mine', format: 'JSONEachRow' })
  expect(result.query_id).toBe('mine')
  await result.text()
})

test('reads and inserts run concurrently', async () => {
  const work = Array.from({ length: 30 }, async (_, index) => {
    if (index % 3 === 0) await insertBinary([[`row ${index}`, index]], `side ${index}`)
    const rows = await select('select {index:UInt32} as index', { index })
    return rows[0]
  })
  expect(await Promise.all(work)).toEqual(work.map((_, index) => ({ index })))
  expect(await count()).toBe(10)
})

test('a read does not queue behind inserts and changes of tables', async () => {
  const ended: string[] = []
  const slow = (name: string, query: string) =>
    client.command({ query }).then(() => ended.push(name))
  // More than there are sessions for each kind, and fewer than the client has connections.
  const writes = Array.from({ length: 6 }, (_, index) =>
    slow('insert', `insert into emails select 'slow', ${index} + sleep(1)`),
  )
  const changes = Array.from({ length: 2 }, () =>
    slow('change', `create table if not exists nothing engine = Memory as select sleep(1) as n`),
  )
  await select('select 1 as one', {})
  ended.push('read')
  await Promise.all([...writes, ...changes])
  await client.command({ query: 'drop table if exists nothing' })
  // Some inserts still waited for others when the read had ended.
  expect(ended.lastIndexOf('insert')).toBeGreaterThan(ended.indexOf('read'))
  expect(await count()).toBe(6)
})

test('parameters, settings and tokens of concurrent calls are not mixed up', async () => {
  const calls = Array.from({ length: 300 }, async (_, index) => {
    if (index % 5 === 0) await insertBinary([[`row ${index}`, index]], `mixed ${index % 100}`)
    const result = await client.query({
      query: `select {value:String} as value, {number:UInt32} as number,
                toString(getSetting('max_block_size')) as size`,
      query_params: { value: `v${index}`, number: index },
      format: 'JSONEachRow',
      clickhouse_settings: { max_block_size: String(1_000 + index) },
    })
    return (await result.json())[0]
  })
  expect(await Promise.all(calls)).toEqual(
    calls.map((_, index) => ({ value: `v${index}`, number: index, size: String(1_000 + index) })),
  )
  // 60 inserts with 20 tokens.
  expect(await count()).toBe(20)
})

test('a truncated body inserts nothing, and the next call is served', async () => {
  const { hostname, port, username, password } = new URL(url)
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  const query = encodeURIComponent('insert into emails FORMAT RowBinary')
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /?query=${query} HTTP/1.1\r\nHost: front\r\nAuthorization: Basic ${auth}\r\nContent-Length: 1000\r\n\r\nabc`,
        () => socket.destroy(),
      )
    })
    socket.on('close', () => resolve())
  })
  expect(await count()).toBe(0)
})

test('after kill -9, every acknowledged row is stored', async () => {
  await insertBinary([['kept', 1]], 'before the kill')
  await front.kill('SIGKILL')
  await front.restart()
  expect(await count()).toBe(1)
  // The deduplication window survives the kill as well.
  await insertBinary([['kept', 1]], 'before the kill')
  expect(await count()).toBe(1)
})

async function insertBinary(rows: readonly (readonly [string, number])[], token: string) {
  const body = Readable.from(rows.length === 0 ? [] : [binaryRows(rows)], { objectMode: false })
  const { stream } = await client.exec({
    query: 'insert into emails (name, number) FORMAT RowBinary',
    values: body,
    clickhouse_settings: { insert_deduplication_token: token },
  })
  // The client keeps the connection until the stream is read to its end.
  await stream.toArray()
}

function binaryRows(rows: readonly (readonly [string, number])[]): Buffer {
  return Buffer.concat(
    rows.flatMap(([name, number]) => {
      const text = Buffer.from(name)
      const value = Buffer.alloc(4)
      value.writeUInt32LE(number)
      return [Buffer.from([text.length]), text, value]
    }),
  )
}

async function select(query: string, query_params: Record<string, unknown>) {
  const result = await client.query({ query, query_params, format: 'JSONEachRow' })
  return result.json<Record<string, unknown>>()
}

async function count(): Promise<number> {
  const rows = await select('select count() as n from emails', {})
  return Number(rows[0]?.['n'])
}

async function call(
  query: string,
  body?: Buffer,
  headers: Record<string, string> = {},
  settings: Record<string, string> = {},
) {
  const { protocol, host, username, password } = new URL(url)
  const search = new URLSearchParams({ query, ...settings })
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  const response = await fetch(`${protocol}//${host}/?${search}`, {
    method: 'POST',
    headers: { authorization: `Basic ${auth}`, ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  })
  await response.arrayBuffer()
  return response
}
