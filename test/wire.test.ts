/** The ingest protocol byte by byte: framing, encodings, credentials, statuses, as the envelope protocol has them. */
import zlib from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RawRequest } from './raw-http.ts'
import { productOfThisFile } from './running-product.ts'
import type { Books, TestProject } from './test-project.ts'

const product = productOfThisFile()
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455'
const session = '{"sid":"a","started":"2026-01-01T00:00:00Z","attrs":{"release":"r"}}'
const oneEvent = '{}\n{"type":"event"}\n{"message":"a"}'
const madeId = /^\{"id":"[0-9a-f]{32}"\}$/
const accepted: Books = { 'accepted error': 1 }
const malformed: Books = { 'rejected malformed_envelope unknown': 1 }

interface Vector {
  readonly body: string
  readonly status: number
  /** A pattern, or the whole body. */
  readonly answer?: RegExp | string
  readonly books: Books
}

// biome-ignore format: the columns are the point
const vectors: readonly (readonly [name: string, vector: Vector])[] = [
  ['1: no line feed at the end', { body: oneEvent, status: 200, answer: madeId, books: accepted }],
  ['2: line feeds inside an attachment', { body: `{"event_id":"${eventId}"}\n{"type":"attachment","length":9}\n\x00\xffab\n\r\ncd\n{"type":"event","length":15}\n{"message":"a"}\n`, status: 200, answer: `{"id":"${eventId}"}`, books: { 'accepted error': 1, 'unsupported unsupported:attachment attachment': 1 } }],
  ['3: two empty items', { body: '{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n', status: 200, answer: '{}', books: { 'unsupported unsupported:attachment attachment': 2 } }],
  ['4: an implicit length', { body: '{}\n{"type":"attachment"}\nhelloworld', status: 200, answer: '{}', books: { 'unsupported unsupported:attachment attachment': 1 } }],
  ['5: an empty payload', { body: '{}\n{"type":"attachment"}\n', status: 200, answer: '{}', books: { 'unsupported unsupported:attachment attachment': 1 } }],
  ['6: a length beyond the end', { body: '{}\n{"type":"event","length":99}\n{}', status: 400, books: malformed }],
  ['7: no line feed after the length', { body: '{}\n{"type":"event","length":2}\n{}x\n', status: 400, books: malformed }],
  ['8: a header alone', { body: '{}', status: 200, answer: '{}', books: {} }],
  ['8: a header and a line feed', { body: '{}\n', status: 200, answer: '{}', books: {} }],
  ['9: a header that is not JSON', { body: 'not json\n{"type":"event"}\n{}', status: 400, books: malformed }],
  ['9: a header that is a list', { body: '[]\n{"type":"event"}\n{}', status: 400, books: malformed }],
  ['10: a header field of the wrong form', { body: '{"sent_at":"nope"}\n{"type":"event"}\n{}', status: 200, answer: madeId, books: accepted }],
  ['11: an item without a type', { body: '{}\n{"length":2}\n{}', status: 400, books: malformed }],
  ['12: an unknown item before the event', { body: `{}\n{"type":"flux_capacitor"}\n{}\n{"type":"event"}\n{"message":"a"}`, status: 200, answer: madeId, books: { 'accepted error': 1, 'unsupported unsupported:flux_capacitor unknown': 1 } }],
  ['13: line feeds at the end', { body: `${oneEvent}\n\n\n`, status: 200, answer: madeId, books: accepted }],
  ['14: a session and a client report', { body: `{}\n{"type":"session"}\n${session}\n{"type":"client_report"}\n{"discarded_events":[]}`, status: 200, answer: '{}', books: { 'accepted session': 1, 'accepted internal': 1 } }],
  ['an empty body', { body: '', status: 400, books: malformed }],
  ['garbage after the header', { body: '{}x\n{"type":"event"}\n{}', status: 400, books: malformed }],
  ['a second item header that is not JSON', { body: `${oneEvent}\nnope\n{}`, status: 400, books: malformed }],
  ['an item header at the end of the body', { body: '{}\n{"type":"session"}', status: 200, answer: '{}', books: { 'accepted session': 1 } }],
  ['a length that is null', { body: '{}\n{"type":"event","length":null}\n{"message":"a"}', status: 200, answer: madeId, books: accepted }],
  ['a length below zero', { body: '{}\n{"type":"event","length":-1}\n{}', status: 400, books: malformed }],
  ['a length that is no number', { body: '{}\n{"type":"event","length":"15"}\n{"message":"a"}', status: 400, books: malformed }],
  ['an event that is not JSON', { body: '{}\n{"type":"event"}\n{"message":', status: 200, answer: madeId, books: { 'rejected invalid_json error': 1 } }],
  ['a transaction', { body: `{"event_id":"${eventId}"}\n{"type":"transaction"}\n{}`, status: 200, answer: `{"id":"${eventId}"}`, books: { 'unsupported unsupported:transaction transaction': 1 } }],
  ['an event over 1 MiB, alone', { body: `{}\n{"type":"event"}\n{"message":"${'x'.repeat(1024 * 1024)}"}`, status: 413, books: { 'rejected too_large error': 1 } }],
  ['an event over 1 MiB beside a good one', { body: `${oneEvent}\n{"type":"event"}\n{"message":"${'x'.repeat(1024 * 1024)}"}`, status: 200, answer: madeId, books: { 'accepted error': 1, 'rejected too_large error': 1 } }],
  ['1,001 items', { body: `{}\n${'{"type":"event"}\n{}\n'.repeat(1001)}`, status: 413, books: { 'rejected too_many_items unknown': 1 } }],
  ['a header line over 16 KiB', { body: `{"x":"${'y'.repeat(17_000)}"}\n{"type":"event"}\n{}`, status: 400, books: malformed }],
]

describe('envelope framing', () => {
  test.concurrent.each(vectors)('%s', async (_name, { body, status, answer, books }) => {
    const project = await product().projectAtOnce('framing')
    const response = await project.send({ body: Buffer.from(body, 'latin1') })
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: answer === undefined ? expect.stringMatching(/^\{"detail":"/) : matching(answer),
    })
    await project.hasBooks(books)
    await project.hasEvents(books['accepted error'] ?? 0)
  })

  test.concurrent('an envelope of 50 events stores each under its own id', async () => {
    const project = await product().projectAtOnce('fifty')
    const ids = Array.from({ length: 50 }, (_, at) => eventId.slice(0, 30) + String(at + 10))
    const items = ids.map((id) => `{"type":"event"}\n{"event_id":"${id}","message":"m"}\n`)
    const response = await project.send({ body: `{"event_id":"${eventId}"}\n${items.join('')}` })
    expect(response).toMatchObject({ status: 200, body: `{"id":"${eventId}"}` })
    await project.hasEvents(50)
    expect((await project.events()).map(({ id }) => id).toSorted()).toEqual(ids)
    await project.hasBooks({ 'accepted error': 50 })
  })

  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['hex in the header',       `{"event_id":"${eventId}"}`,                              '{}', eventId],
    ['dashed, capitals',        '{"event_id":"5F0C1D2E-3A4B-4C5D-8E9F-001122334455"}',    '{}', eventId],
    ['in the payload alone',    '{}', `{"event_id":"${eventId}"}`,                              eventId],
    ['the header wins',         `{"event_id":"${eventId}"}`, `{"event_id":"${'a'.repeat(32)}"}`, eventId],
    ['all zeros',               `{"event_id":"${'0'.repeat(32)}"}`, '{}',                       undefined],
    ['not an id',               '{"event_id":"x"}', '{"event_id":7}',                           undefined],
  ])('event id: %s', async (_name, header, payload, wanted) => {
    const project = await product().projectAtOnce('ids')
    const response = await project.send({ body: `${header}\n{"type":"event"}\n${payload}` })
    const { id } = JSON.parse(response.body) as { id: string }
    expect(id).toMatch(wanted === undefined ? /^(?!0{32})[0-9a-f]{32}$/ : new RegExp(wanted))
    await project.hasEvents(1)
    expect((await project.events()).map((event) => event.id)).toEqual([id])
  })
})

/** Made by `zstd` of the event: Node 20 cannot write this encoding. One raw block in a frame (RFC 8878). */
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

  test.concurrent('1-byte chunks without Content-Length and Content-Type, plain and compressed', async () => {
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
    ['two at once',        'gzip, br', zlib.gzipSync(bytes),                  415],
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
    await project.hasBooks(accepted)
  })

  test.concurrent('an envelope by its content type', async () => {
    const project = await product().projectAtOnce('store envelope')
    const headers = { 'Content-Type': 'application/x-sentry-envelope' }
    const response = await project.send({ path: project.path('store'), body: oneEvent, headers })
    expect(response.status).toBe(200)
    await project.hasEvents(1)
  })

  test.concurrent('a transaction is unsupported', async () => {
    const project = await product().projectAtOnce('store transaction')
    const body = `{"event_id":"${eventId}","type":"transaction"}`
    expect(await project.send({ path: project.path('store'), body })).toMatchObject({
      status: 200,
      body: taken,
    })
    await project.hasBooks({ 'unsupported unsupported:transaction transaction': 1 })
  })

  test.concurrent.each([['null'], ['[]'], ['"text"'], [''], ['{"message":'], ['%%%'], ['eJ4']])(
    'refused: %j',
    async (body) => {
      const project = await product().projectAtOnce('store refused')
      expect(await project.send({ path: project.path('store'), body })).toMatchObject({
        status: 400,
      })
      await project.hasBooks({ 'rejected invalid_json error': 1 })
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
      'another scheme',
      401,
      () => ({ path: bare(), headers: { Authorization: `Bearer ${project.publicKey}` } }),
    ],
    [
      'an unreadable dsn',
      401,
      () => ({ path: bare(), body: '{"dsn":"nope"}\n{"type":"event"}\n{}' }),
    ],
    ['a short key', 400, () => ({ path: `${bare()}?sentry_key=abc` })],
    ['a version to come', 400, () => ({ path: `${project.path()}9` })],
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

  test('all that was answered 200 is stored, and nothing else', async () => {
    const takenCount = rows.filter(
      ([name, status]) => status === 200 && name !== 'preflight',
    ).length
    await project.hasEvents(takenCount)
    expect((await project.books())['accepted error']).toBe(takenCount)
    expect(await other.countedEvents()).toBe(0)
  })

  test('a client that announces itself with Expect: 100-continue is served', async () => {
    const curl = await product().projectAtOnce('expect')
    await curl.send({ body: oneEvent, headers: { Expect: '100-continue' } })
    await curl.hasEvents(1)
  })
})

function matching(answer: RegExp | string): unknown {
  return typeof answer === 'string' ? answer : expect.stringMatching(answer)
}
