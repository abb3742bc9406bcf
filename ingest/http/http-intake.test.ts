/** The records of envelopes and events, and the replies to their requests. */
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  awayKey,
  componentKey,
  disabledKey,
  envelopePath,
  id,
  key,
  message,
  oneEvent,
  otherProjectKey,
  serveTests,
  storedAnswer,
} from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()

describe('an event', () => {
  test('is answered with its id after its frame is acknowledged', async () => {
    const reply = await server.post(envelopePath, oneEvent)
    expect(reply).toMatchObject({ status: 200, text: `{"id":"${id}"}` })
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(reply.headers.get('content-length')).toBe(String(reply.text.length))
    const [record] = server.records()
    expect(record).toMatchObject({
      kind: 'event',
      projectId: 42,
      dsnKeyNo: 1,
      recordId: id,
      address: '127.0.0.1',
      header: { client: 'sentry.js/10' },
    })
    expect(server.events()).toEqual([message])
  })

  test('carries component, clock and the address behind a trusted proxy', async () => {
    const body = `{"sent_at":"2026-11-20T23:01:47.186Z","sdk":{"name":"s.py","version":"2"}}\n{"type":"event"}\n{}`
    const headers = {
      'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${componentKey}`,
      'X-Forwarded-For': '192.0.2.66, 2001:db8::7, 127.0.0.2',
    }
    expect(await server.post('/api/42/envelope/', body, headers)).toMatchObject({ status: 200 })
    expect(server.records()[0]).toMatchObject({
      dsnKeyNo: 2,
      address: '2001:db8::7',
      header: { component: 'worker', client: 's.py/2', sent_at: '2026-11-20T23:01:47.186Z' },
    })
  })

  test('reads all X-Forwarded-For lines, because a proxy may add one', async () => {
    await server.raw((socket) => {
      const head = ['X-Forwarded-For: 192.0.2.66', 'X-Forwarded-For: 198.51.100.7, 127.0.0.2']
      socket.write(
        `POST ${envelopePath} HTTP/1.1\r\nHost: a\r\n${head.join('\r\n')}\r\nContent-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`,
      )
    })
    expect(server.records()[0]).toMatchObject({ address: '198.51.100.7' })
  })

  test('is answered 503 when no acknowledgement comes in time', async () => {
    server.acknowledges = false
    const reply = await server.post(envelopePath, oneEvent)
    expect(reply.status).toBe(503)
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    for (const { token } of server.frames) server.ctx.courier.receive(token, storedAnswer)
  })

  test('in an envelope with fifty is one of fifty records', async () => {
    const items = Array.from({ length: 50 }, (_, index) => {
      return `{"type":"event"}\n{"event_id":"${String(index + 1).padStart(32, '0')}"}`
    })
    expect(await server.post(envelopePath, `{}\n${items.join('\n')}`)).toMatchObject({
      status: 200,
    })
    expect(new Set(server.records().map((record) => record.recordId)).size).toBe(50)
  })
})

describe('items that are only counted', () => {
  test('are one outcomes record, which the request waits for', async () => {
    const body = `{}\n{"type":"transaction"}\n{}\n{"type":"log"}\n{}\n{"type":"log"}\n{}`
    expect(await server.post(envelopePath, body)).toMatchObject({ status: 200, text: '{}' })
    expect(server.outcomes()).toEqual([
      'unsupported unsupported:transaction 1',
      'unsupported unsupported:log 2',
    ])
    expect(server.records()[0]).toMatchObject({ projectId: 42, dsnKeyNo: 1 })
  })

  test('refused requests of a known project are counted too', async () => {
    await server.post(envelopePath, 'not json')
    await server.post(envelopePath, 'x', { 'content-encoding': 'compress' })
    await server.post(envelopePath, 'x', { 'content-encoding': 'gzip' })
    await expect
      .poll(() => server.outcomes())
      .toEqual([
        'rejected malformed_envelope 1',
        'rejected bad_encoding 1',
        'rejected bad_encoding 1',
      ])
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['no slash at the end   ', `/api/42/envelope?sentry_key=${key}`,         200],
  ['repeated slashes      ', `//api//42///envelope//?sentry_key=${key}`,   200],
  ['a prefix of a proxy   ', `/a/b/api/42/envelope/?sentry_key=${key}`,    200],
  ['leading zeros         ', `/api/0042/envelope/?sentry_key=${key}`,      200],
  ['no credentials        ', '/api/42/envelope/',                          401],
  ['a malformed key       ', '/api/42/envelope/?sentry_key=xyz',           400],
  ['a project name        ', `/api/shop/envelope/?sentry_key=${key}`,      400],
  ['version 9             ', `/api/42/envelope/?sentry_key=${key}&sentry_version=9`, 400],
  ['an unknown key        ', `/api/42/envelope/?sentry_key=${'9'.repeat(32)}`, 403],
  ['a disabled key        ', `/api/42/envelope/?sentry_key=${disabledKey}`, 403],
  ['a key of another      ', `/api/42/envelope/?sentry_key=${otherProjectKey}`, 403],
  ['an unavailable store  ', `/api/42/envelope/?sentry_key=${awayKey}`,    503],
  ['another path          ', '/api/42/nothing/',                           404],
  ['the root              ', '/',                                          404],
] as const)('%s is answered as documented', async (_name, path, status) => {
  const reply = await server.post(path, oneEvent)
  expect(reply.status).toBe(status)
  expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  expect(server.events()).toHaveLength(status === 200 ? 1 : 0)
  if (status === 200) return
  const body = JSON.parse(reply.text)
  expect(body).toEqual({ detail: expect.any(String), causes: expect.any(Array) })
  expect(reply.headers.get('x-sentry-error')).toBe(body.detail)
})

test('a DSN in the envelope suffices, and is ignored if the request names a key', async () => {
  const withDsn = (dsnKey: string) =>
    `{"dsn":"http://${dsnKey}@host/42"}\n{"type":"event"}\n${message}`
  expect(await server.post('/api/42/envelope/', withDsn(key))).toMatchObject({ status: 200 })
  expect(await server.post(envelopePath, withDsn('9'.repeat(32)))).toMatchObject({ status: 200 })
  expect(await server.post('/api/42/envelope/', withDsn('9'.repeat(32)))).toMatchObject({
    status: 403,
  })
  expect(await server.post('/api/42/envelope/', '{"dsn":"nope"}\n')).toMatchObject({ status: 401 })
  expect(await server.post('/api/43/envelope/', withDsn(key))).toMatchObject({ status: 403 })
})

describe('/store/', () => {
  const storePath = `/api/42/store/?sentry_key=${key}`

  test('accepts JSON, and zlib in base64 as raven sends it', async () => {
    const eventOf = (eventId: string) => `{"event_id":"${eventId}","message":"a"}`
    const otherId = id.replace(/^5/, '6')
    const packed = zlib.deflateSync(eventOf(otherId)).toString('base64')
    for (const [eventId, body] of [
      [id, eventOf(id)],
      [otherId, packed],
    ] as const) {
      expect(await server.post(storePath, body)).toMatchObject({
        status: 200,
        text: `{"id":"${eventId}"}`,
      })
    }
    expect(server.events()).toEqual([eventOf(id), eventOf(otherId)])
  })

  test('accepts an envelope with its content type', async () => {
    const headers = { 'content-type': 'application/x-sentry-envelope' }
    expect(await server.post(storePath, oneEvent, headers)).toMatchObject({ status: 200 })
    expect(server.events()).toEqual([message])
  })

  test('refuses a body that is not an event', async () => {
    for (const body of ['null', '[]', '"x"', '{', '']) {
      expect((await server.post(storePath, body)).status).toBe(400)
    }
  })
})
