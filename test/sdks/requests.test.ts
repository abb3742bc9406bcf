/**
 * All parts of a request except its items: encodings, the store endpoint, credentials, paths,
 * statuses.
 */
import zlib from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RawRequest } from '../fixtures/processes/raw-http.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455'
const oneEvent = '{}\n{"type":"event"}\n{"message":"a"}'
const madeId = /^\{"id":"[0-9a-f]{32}"\}$/
const accepted = { 'accepted error': 1 }

/** Node 20 cannot compress zstd: this is one raw block in a frame (RFC 8878). */
function zstd(bytes: Buffer): Buffer {
  const blockHeader = (bytes.length << 3) | 1
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length]
  const block = [blockHeader & 0xff, (blockHeader >> 8) & 0xff, blockHeader >> 16]
  return Buffer.concat([Buffer.from([...head, ...block]), bytes])
}

describe('encodings', () => {
  const bytes = Buffer.from(oneEvent)

  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['gzip',             'gzip',     zlib.gzipSync(bytes)],
    ['x-gzip',           'x-gzip',   zlib.gzipSync(bytes)],
    ['zlib deflate',     'deflate',  zlib.deflateSync(bytes)],
    ['raw deflate',      'deflate',  zlib.deflateRawSync(bytes)],
    ['brotli',           'br',       zlib.brotliCompressSync(bytes)],
    ['zstd',             'zstd',     zstd(bytes)],
    ['empty',            '',         bytes],
    ['identity',         'identity', bytes],
    ['UTF-8',            'UTF-8',    bytes],
    ['capitals',         'GZIP',     zlib.gzipSync(bytes)],
  ] as const)('%s', async (_name, encoding, body) => {
    const project = await product().projectAtOnce('encoding')
    const response = await project.send({ body, headers: { 'Content-Encoding': encoding } })
    expect(response).toMatchObject({ status: 200, body: expect.stringMatching(madeId) })
    await project.hasEvents(1)
    expect((await project.onlyEvent()).title).toBe('a')
  })

  test.concurrent('accepts 1-byte chunks without Content-Length and Content-Type, plain and compressed', async () => {
    const project = await product().projectAtOnce('chunks')
    const gzip = { 'Content-Encoding': 'gzip' }
    const answers = await Promise.all([
      project.send({ body: bytes, chunkBytes: 1 }),
      project.send({ body: zlib.gzipSync(bytes), chunkBytes: 1, headers: gzip }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await project.hasEvents(2)
  })

  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['unknown',            'lzma',    bytes,                                  415],
    ['two encodings',        'gzip, br', zlib.gzipSync(bytes),                  415],
    ['not gzip at all',    'gzip',    bytes,                                  400],
    ['gzip cut short',     'gzip',    zlib.gzipSync(bytes).subarray(0, -9),   400],
    ['brotli cut short',   'br',      zlib.brotliCompressSync(bytes).subarray(0, -2), 400],
    ['zstd cut short',     'zstd',    zstd(bytes).subarray(0, -5),            400],
    ['gzip and no body',   'gzip',    Buffer.alloc(0),                        400],
  ] as const)('refused: %s', async (_name, encoding, body, status) => {
    const project = await product().projectAtOnce('bad encoding')
    const response = await project.send({ body, headers: { 'Content-Encoding': encoding } })
    expect(response.status).toBe(status)
    expect(await project.countedEvents()).toBe(0)
  })
})

describe('/store/', () => {
  const event = JSON.stringify({ event_id: eventId, message: 'old' })
  const taken = `{"id":"${eventId}"}`

  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['plain JSON',         event,                                                 'old'],
    ['base64',             Buffer.from(event).toString('base64'),                 'old'],
    ['base64 over zlib',   zlib.deflateSync(event).toString('base64'),            'old'],
    ['base64 with lines',  zlib.deflateSync(event).toString('base64').replace(/.{20}/g, '$&\r\n'), 'old'],
    ['NaN and Infinity',   `{"event_id":"${eventId}","message":"NaN","extra":{"a":NaN,"b":-Infinity,"c":"Infinity"}}`, 'NaN'],
  ])('%s', async (_name, body, title) => {
    const project = await product().projectAtOnce('store')
    expect(await project.send({ path: project.path('store'), body })).toMatchObject({ status: 200, body: taken })
    await project.hasEvents(1)
    expect(await project.onlyEvent()).toMatchObject({ id: eventId, title })
    await project.hasAccounting(accepted)
  })

  test.concurrent('an envelope by its content type', async () => {
    const project = await product().projectAtOnce('store envelope')
    const headers = { 'Content-Type': 'application/x-sentry-envelope' }
    const response = await project.send({ path: project.path('store'), body: oneEvent, headers })
    expect(response.status).toBe(200)
    await project.hasEvents(1)
  })

  test.concurrent('a transaction is counted as unsupported', async () => {
    const project = await product().projectAtOnce('store transaction')
    const body = `{"event_id":"${eventId}","type":"transaction"}`
    expect(await project.send({ path: project.path('store'), body })).toMatchObject({
      status: 200,
      body: taken,
    })
    await project.hasAccounting({ 'unsupported unsupported:transaction transaction': 1 })
  })

  test.concurrent.each([['null'], ['[]'], ['"text"'], [''], ['{"message":'], ['%%%'], ['eJ4']])(
    'refused: %j',
    async (body) => {
      const project = await product().projectAtOnce('store refused')
      expect(await project.send({ path: project.path('store'), body })).toMatchObject({
        status: 400,
      })
      await project.hasAccounting({ 'rejected invalid_json error': 1 })
    },
  )
})

describe('20: shapes of an exception', () => {
  const cause = { type: 'KeyError', value: 'id' }
  const thrown = { type: 'ShopError', value: 'no order' }

  test.concurrent('a list and an object with `values` are the same event, in one issue', async () => {
    const project = await product().projectAtOnce('shapes')
    const list = [cause, null, thrown]
    for (const exception of [{ values: list }, list]) {
      await project.send({ body: `{}\n{"type":"event"}\n${JSON.stringify({ exception })}` })
    }
    await project.hasEvents(2)
    expect(await project.issue()).toMatchObject({ title: 'ShopError: no order', count: 2 })
    for (const { id } of await project.events()) {
      expect((await project.event(id)).payload).toMatchObject({
        exception: { values: [cause, thrown] },
      })
    }
  })

  test.concurrent('a single object is a list of one', async () => {
    const project = await product().projectAtOnce('one shape')
    for (const exception of [thrown, [thrown], { values: [thrown] }]) {
      await project.send({ body: `{}\n{"type":"event"}\n${JSON.stringify({ exception })}` })
    }
    await project.hasEvents(3)
    expect(await project.issue()).toMatchObject({ title: 'ShopError: no order', count: 3 })
  })

  test.concurrent.each([[{}], [[]], [{ values: null }], [null]])(
    '%j is no exception',
    async (exception) => {
      const project = await product().projectAtOnce('no shape')
      const event = JSON.stringify({ exception, message: 'just words' })
      await project.send({ body: `{}\n{"type":"event"}\n${event}` })
      await project.hasEvents(1)
      expect((await project.onlyEvent()).title).toBe('just words')
    },
  )
})

describe('credentials, paths and statuses', () => {
  let project: TestProject
  let other: TestProject
  beforeAll(async () => {
    project = await product().projectAtOnce('credentials')
    other = await product().projectAtOnce('another project')
  })
  const bare = () => `/api/${project.dsnId}/envelope/`
  const auth = (text: string) => ({ 'X-Sentry-Auth': text })
  const strange = 'f'.repeat(32)
  const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`

  const rows: readonly (readonly [
    name: string,
    status: number,
    request: () => Partial<RawRequest>,
  ])[] = [
    ['query', 200, () => ({})],
    [
      'X-Sentry-Auth',
      200,
      () => ({
        path: bare(),
        headers: auth(`Sentry sentry_version=7,sentry_key=${project.publicKey}`),
      }),
    ],
    [
      'an old version and a secret',
      200,
      () => ({
        path: bare(),
        headers: auth(
          `Sentry sentry_version=5, sentry_timestamp=1.5, sentry_key=${project.publicKey}, sentry_secret=x`,
        ),
      }),
    ],
    [
      'a lower-case scheme',
      200,
      () => ({ path: bare(), headers: auth(`sentry sentry_key=${project.publicKey}`) }),
    ],
    [
      'Authorization: Sentry',
      200,
      () => ({
        path: bare(),
        headers: { Authorization: `Sentry sentry_key=${project.publicKey}` },
      }),
    ],
    [
      'Authorization: Basic',
      200,
      () => ({ path: bare(), headers: { Authorization: basic(project.publicKey) } }),
    ],
    [
      '15: the dsn of the envelope header',
      200,
      () => ({
        path: bare(),
        body: `{"dsn":"http://${project.publicKey}@host/${project.dsnId}"}\n{"type":"event"}\n{"message":"a"}`,
      }),
    ],
    [
      'that dsn in a compressed body',
      200,
      () => ({
        path: bare(),
        headers: { 'Content-Encoding': 'gzip' },
        body: zlib.gzipSync(
          `{"dsn":"http://${project.publicKey}@host/${project.dsnId}"}\n{"type":"event"}\n{"message":"a"}`,
        ),
      }),
    ],
    ['a stronger source wins', 200, () => ({ headers: auth(`Sentry sentry_key=${strange}`) })],
    ['no slash at the end', 200, () => ({ path: project.path().replace('envelope/', 'envelope') })],
    ['repeated slashes', 200, () => ({ path: project.path().replace('/api/', '//api//') })],
    ['a prefix', 200, () => ({ path: `/pre/fix${project.path()}` })],
    ['none', 401, () => ({ path: bare() })],
    [
      'an unsupported scheme',
      401,
      () => ({ path: bare(), headers: { Authorization: `Bearer ${project.publicKey}` } }),
    ],
    [
      'an unreadable dsn',
      401,
      () => ({ path: bare(), body: '{"dsn":"nope"}\n{"type":"event"}\n{}' }),
    ],
    ['a short key', 400, () => ({ path: `${bare()}?sentry_key=abc` })],
    ['a future version', 400, () => ({ path: `${project.path()}9` })],
    [
      'a project that is no number',
      400,
      () => ({ path: project.path().replace(`/${project.dsnId}/`, '/shop/') }),
    ],
    ['an unknown key', 403, () => ({ path: `${bare()}?sentry_key=${strange}` })],
    [
      'the key of another project',
      403,
      () => ({ path: `${bare()}?sentry_key=${other.publicKey}` }),
    ],
    [
      'the dsn of another project',
      403,
      () => ({
        path: bare(),
        body: `{"dsn":"http://${other.publicKey}@host/${other.dsnId}"}\n{"type":"event"}\n{}`,
      }),
    ],
    ['an unknown path', 404, () => ({ path: '/api/1/nothing/' })],
    ['GET', 405, () => ({ method: 'GET', body: '' })],
    ['PUT', 405, () => ({ method: 'PUT' })],
    ['a body over 20 MiB', 413, () => ({ body: Buffer.alloc(20 * 1024 * 1024 + 1, 'x') })],
    ['an unknown encoding', 415, () => ({ headers: { 'Content-Encoding': 'lzma' } })],
    ['preflight', 200, () => ({ method: 'OPTIONS', body: '' })],
  ]

  test.each(rows)('%s: %i', async (_name, status, request) => {
    const response = await project.send({ body: oneEvent, ...request() })
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers': expect.stringContaining('x-sentry-auth'),
      'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
      'access-control-max-age': '3600',
      'content-length': String(Buffer.byteLength(response.body)),
    })
    if (status === 200) return
    expect(JSON.parse(response.body)).toEqual({
      detail: expect.any(String),
      causes: expect.any(Array),
    })
    expect(response.headers['x-sentry-error']).toBe(JSON.parse(response.body).detail)
    expect(response.headers['content-type']).toBe('application/json')
  })

  test('exactly the events that were answered 200 are stored', async () => {
    const takenCount = rows.filter(
      ([name, status]) => status === 200 && name !== 'preflight',
    ).length
    await project.hasEvents(takenCount)
    await project.hasAccountingAmong({ 'accepted error': takenCount })
    expect(await other.countedEvents()).toBe(0)
  })

  test('a client that sends Expect: 100-continue gets a response', async () => {
    const curl = await product().projectAtOnce('expect')
    const response = await curl.send({ body: oneEvent, headers: { Expect: '100-continue' } })
    expect(response.status).toBe(200)
    await curl.hasEvents(1)
  })
})
