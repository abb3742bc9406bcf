/** The real HTTP server over real sockets; the bus and the key store are in memory. */
import { connect, type Socket } from 'node:net'
import * as zlib from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { decodeFrame, decodeRecords, type RecordView } from '#schemas/bus/frame.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import { eventBytesMax, MiB, requestBytesMax } from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { createIngest } from '../create-ingest.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import { trustedProxies } from '../http/client-address.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { IngestMetrics } from '../metrics.ts'
import { createHttpServer, type HttpServer } from './http-server.ts'
import { loadUws } from './load-uws.ts'

const key = 'a'.repeat(32)
const componentKey = 'b'.repeat(32)
const disabledKey = 'c'.repeat(32)
const otherProjectKey = 'd'.repeat(32)
const awayKey = 'e'.repeat(32)
const id = '5f0c1d2e3a4b4c5d8e9f001122334455'

const keys = new Map<string, Partial<DsnKey>>([
  [key, {}],
  [componentKey, { component: 'worker', keyNo: 2 as DsnKeyNo }],
  [disabledKey, { active: false }],
  [otherProjectKey, { projectId: 43 as ProjectId, projectText: '43' }],
])

async function loadKey(publicKey: PublicKey): Promise<DsnKey | undefined> {
  if (publicKey === awayKey) throw new Error('away')
  const fields = keys.get(publicKey)
  if (fields === undefined) return undefined
  return {
    publicKey,
    keyNo: 1 as DsnKeyNo,
    projectId: 42 as ProjectId,
    projectText: '42',
    component: undefined,
    active: true,
    ...fields,
  }
}

const frames: { frame: SealedFrame; token: number }[] = []
let acknowledges = true
let ctx: IngestContext
let server: HttpServer
let port = 0
const errors: unknown[] = []
let sweeper: NodeJS.Timeout

beforeAll(async () => {
  ctx = createIngest({
    clock: systemClock,
    keyStore: { load: loadKey },
    transport: {
      isConnected: () => true,
      send(frame, token) {
        // The bytes are written over once the frame is acknowledged.
        frames.push({ frame: { ...frame, bytes: Buffer.from(frame.bytes) }, token })
        if (acknowledges) setImmediate(() => ctx.courier.receive(token, { kind: 'stored' }))
      },
    },
    partitionCount: 4,
    ackTimeoutMs: 300,
    trustedProxies: trustedProxies(['127.0.0.0/8']),
    onTrouble() {},
    onError: (error) => errors.push(error),
  })
  const metrics = new IngestMetrics()
  metrics.watch(ctx)
  server = createHttpServer({
    uws: loadUws(),
    ctx,
    metrics,
    trustsProxies: true,
    notReady: () => (acknowledges ? [] : ['nats']),
  })
  port = await server.listen('127.0.0.1', 0)
  sweeper = setInterval(() => {
    ctx.courier.sweep()
    ctx.load.sweep()
  }, 20)
})

afterAll(() => {
  clearInterval(sweeper)
  server.close()
})

beforeEach(() => {
  frames.length = 0
  errors.length = 0
  acknowledges = true
})

function records(): RecordView[] {
  return frames.flatMap(({ frame }) => decodeRecords(decodeFrame(frame.bytes)))
}

function events(): string[] {
  return records()
    .filter((record) => record.kind === 'event')
    .map((record) => Buffer.from(record.payload).toString())
}

function outcomes(): string[] {
  return records()
    .filter((record) => record.kind === 'outcomes')
    .flatMap((record): OutcomeCount[] => JSON.parse(Buffer.from(record.payload).toString()))
    .map(({ outcome, reason, quantity }) => `${outcome} ${reason} ${quantity}`)
}

const envelopePath = `/api/42/envelope/?sentry_key=${key}&sentry_version=7&sentry_client=sentry.js%2F10`
const message = '{"message":"a"}'
const oneEvent = `{"event_id":"${id}"}\n{"type":"event"}\n${message}`

async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers })
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

/** Writes raw bytes and reads until `until` holds or the connection ends. */
function raw(
  write: (socket: Socket) => void,
  until = (text: string) => /\r\n\r\n[\s\S]*}$/.test(text),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('connect', () => write(socket))
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (until(text)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

describe('an event', () => {
  test('is answered with its id after its frame is acknowledged', async () => {
    const reply = await post(envelopePath, oneEvent)
    expect(reply).toMatchObject({ status: 200, text: `{"id":"${id}"}` })
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(reply.headers.get('content-length')).toBe(String(reply.text.length))
    const [record] = records()
    expect(record).toMatchObject({
      kind: 'event',
      projectId: 42,
      dsnKeyNo: 1,
      recordId: id,
      address: '127.0.0.1',
      header: { client: 'sentry.js/10' },
    })
    expect(events()).toEqual([message])
  })

  test('carries component, clock and the address behind a trusted proxy', async () => {
    const body = `{"sent_at":"2026-11-20T23:01:47.186Z","sdk":{"name":"s.py","version":"2"}}\n{"type":"event"}\n{}`
    const headers = {
      'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${componentKey}`,
      'X-Forwarded-For': '2001:db8::7, 10.0.0.1',
    }
    expect(await post('/api/42/envelope/', body, headers)).toMatchObject({ status: 200 })
    expect(records()[0]).toMatchObject({
      dsnKeyNo: 2,
      address: '2001:db8::7',
      header: { component: 'worker', client: 's.py/2', sent_at: '2026-11-20T23:01:47.186Z' },
    })
  })

  test('is answered 503 when no acknowledgement comes in time', async () => {
    acknowledges = false
    const reply = await post(envelopePath, oneEvent)
    expect(reply.status).toBe(503)
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    for (const { token } of frames) ctx.courier.receive(token, { kind: 'stored' })
  })

  test('fifty of them in one envelope are fifty records', async () => {
    const items = Array.from({ length: 50 }, (_, index) => {
      return `{"type":"event"}\n{"event_id":"${String(index + 1).padStart(32, '0')}"}`
    })
    expect(await post(envelopePath, `{}\n${items.join('\n')}`)).toMatchObject({ status: 200 })
    expect(new Set(records().map((record) => record.recordId)).size).toBe(50)
  })
})

describe('items that are only counted', () => {
  test('travel as one outcomes record, which the request waits for', async () => {
    const body = `{}\n{"type":"transaction"}\n{}\n{"type":"session"}\n{}\n{"type":"session"}\n{}`
    expect(await post(envelopePath, body)).toMatchObject({ status: 200, text: '{}' })
    expect(outcomes()).toEqual(['unsupported unsupported:transaction 1', 'accepted  2'])
    expect(records()[0]).toMatchObject({ projectId: 42, dsnKeyNo: 1 })
  })

  test('refused requests of a known project are counted too', async () => {
    await post(envelopePath, 'not json')
    await post(envelopePath, 'x', { 'content-encoding': 'compress' })
    await post(envelopePath, 'x', { 'content-encoding': 'gzip' })
    await expect
      .poll(() => outcomes())
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
  ['a project in letters  ', `/api/shop/envelope/?sentry_key=${key}`,      400],
  ['version 9             ', `/api/42/envelope/?sentry_key=${key}&sentry_version=9`, 400],
  ['an unknown key        ', `/api/42/envelope/?sentry_key=${'9'.repeat(32)}`, 403],
  ['a disabled key        ', `/api/42/envelope/?sentry_key=${disabledKey}`, 403],
  ['a key of another      ', `/api/42/envelope/?sentry_key=${otherProjectKey}`, 403],
  ['a store that is away  ', `/api/42/envelope/?sentry_key=${awayKey}`,    503],
  ['another path          ', '/api/42/nothing/',                           404],
  ['the root              ', '/',                                          404],
] as const)('%s is answered as documented', async (_name, path, status) => {
  const reply = await post(path, oneEvent)
  expect(reply.status).toBe(status)
  expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  expect(events()).toHaveLength(status === 200 ? 1 : 0)
  if (status === 200) return
  const body = JSON.parse(reply.text)
  expect(body).toEqual({ detail: expect.any(String), causes: expect.any(Array) })
  expect(reply.headers.get('x-sentry-error')).toBe(body.detail)
})

test('a dsn inside the envelope is enough, and a weaker one is ignored', async () => {
  const withDsn = (dsnKey: string) =>
    `{"dsn":"http://${dsnKey}@host/42"}\n{"type":"event"}\n${message}`
  expect(await post('/api/42/envelope/', withDsn(key))).toMatchObject({ status: 200 })
  expect(await post(envelopePath, withDsn('9'.repeat(32)))).toMatchObject({ status: 200 })
  expect(await post('/api/42/envelope/', withDsn('9'.repeat(32)))).toMatchObject({ status: 403 })
  expect(await post('/api/42/envelope/', '{"dsn":"nope"}\n')).toMatchObject({ status: 401 })
  expect(await post('/api/43/envelope/', withDsn(key))).toMatchObject({ status: 403 })
})

describe('encodings', () => {
  const zstd = Buffer.from(
    'KLUv/SBObQIAYnsiZXZlbnRfaWQiOiI1ZjBjMWQyZTNhNGI0YzVkOGU5ZjAwMTEyMjMzNDQ1NSJ9Cg==',
    'base64',
  )

  // biome-ignore format: the columns are the point
  test.each([
    ['gzip       ', 'gzip',     zlib.gzipSync(oneEvent)],
    ['x-gzip     ', 'x-gzip',   zlib.gzipSync(oneEvent)],
    ['deflate    ', 'deflate',  zlib.deflateSync(oneEvent)],
    ['raw deflate', 'deflate',  zlib.deflateRawSync(oneEvent)],
    ['br         ', 'br',       zlib.brotliCompressSync(oneEvent)],
    ['identity   ', 'identity', Buffer.from(oneEvent)],
    ['UTF-8      ', 'UTF-8',    Buffer.from(oneEvent)],
    ['zstd       ', 'zstd',     rawZstd(Buffer.from(oneEvent))],
  ])('%s is taken off', async (_name, encoding, body) => {
    const reply = await post(envelopePath, new Uint8Array(body), { 'content-encoding': encoding })
    expect(reply).toMatchObject({ status: 200 })
    expect(events()).toEqual([message])
  })

  test('an empty Content-Encoding is none', async () => {
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Encoding:\r\n`
    const text = await raw((socket) => {
      socket.write(`${head}Content-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`)
    })
    expect(text).toMatch(/^HTTP\/1.1 200 OK/)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['gzip, nothing in it ', 'gzip',    Buffer.alloc(0)],
    ['gzip, cut           ', 'gzip',    zlib.gzipSync(oneEvent).subarray(0, -9)],
    ['deflate, noise      ', 'deflate', Buffer.from('noise, noise, noise')],
    ['br, cut             ', 'br',      zlib.brotliCompressSync(oneEvent).subarray(0, -3)],
    ['zstd, cut           ', 'zstd',    zstd.subarray(0, -4)],
    ['zstd, noise         ', 'zstd',    Buffer.from('noise, noise, noise')],
  ])('a corrupt body is 400: %s', async (_name, encoding, body) => {
    const reply = await post(envelopePath, new Uint8Array(body), { 'content-encoding': encoding })
    expect(reply.status).toBe(400)
  })

  test('a body inflated in the background is taken too', async () => {
    const noise = Buffer.alloc(80_000, 1).map((_, index) => 97 + ((index * index * 7919) % 26))
    const body = `{}\n{"type":"event"}\n{"message":"${noise.toString()}${Math.PI}"}`
    const packed = zlib.gzipSync(`${body}\n{"type":"x"}\n${'y'.repeat(400_000)}`)
    const reply = await post(envelopePath, new Uint8Array(packed), { 'content-encoding': 'gzip' })
    expect(reply.status).toBe(200)
    expect(events()[0]).toHaveLength(noise.length + '{"message":""}'.length + 17)
  })

  test('bombs are 413 and leave no memory behind', async () => {
    const bomb = zlib.brotliCompressSync(Buffer.alloc(200 * MiB), {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    })
    const send = () => post(envelopePath, new Uint8Array(bomb), { 'content-encoding': 'br' })
    const replies = await Promise.all([send(), send(), send()])
    expect(replies.map((reply) => reply.status)).toEqual([413, 413, 413])
    expect(ctx.load.bufferedBytes).toBe(0)
  })
})

describe('bodies', () => {
  test('may come in chunks of one byte, without length or type', async () => {
    const text = await raw((socket) => {
      socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
      for (const character of oneEvent) socket.write(`1\r\n${character}\r\n`)
      socket.write('0\r\n\r\n')
    })
    expect(text).toMatch(/^HTTP\/1.1 200 OK/)
    expect(events()).toEqual([message])
    expect(ctx.load.bufferedBytes).toBe(0)
  })

  test('an event over the limit is 413, and so is a body over the limit', async () => {
    const event = `{}\n{"type":"event"}\n{"message":"${'x'.repeat(eventBytesMax)}"}`
    expect(await post(envelopePath, event)).toMatchObject({ status: 413 })
    const body = new Uint8Array(requestBytesMax + 1)
    expect(await post(envelopePath, body)).toMatchObject({ status: 413 })
    expect(ctx.load.bufferedBytes).toBe(0)
  })

  test('a declared length far over the limit is refused before anything is sent', async () => {
    const text = await raw((socket) => {
      socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n`)
    })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    expect(errors).toEqual([])
  })

  test('an upload that is aborted leaves nothing behind', async () => {
    const socket = connect(port, '127.0.0.1')
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`
    socket.write(`${head}${oneEvent}`)
    await expect.poll(() => ctx.load.bufferedBytes).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(() => [ctx.load.bufferedBytes, ctx.load.requestCount]).toEqual([0, 0])
    expect(events()).toEqual([])
  })

  test('a client that goes away before its answer does no harm', async () => {
    acknowledges = false
    const socket = connect(port, '127.0.0.1')
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n`
    socket.write(`${head}${oneEvent}`)
    await expect.poll(() => frames.length).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(() => ctx.load.requestCount).toBe(0)
    for (const { token } of frames) ctx.courier.receive(token, { kind: 'stored' })
    acknowledges = true
    expect(await post(envelopePath, oneEvent)).toMatchObject({ status: 200 })
    expect(errors).toEqual([])
  })

  test('two requests one after the other share a connection', async () => {
    const request = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`
    let isSecondSent = false
    const text = await raw(
      (socket) => {
        socket.on('data', () => {
          if (!isSecondSent) socket.write(request)
          isSecondSent = true
        })
        socket.write(request)
      },
      (received) => received.split('HTTP/1.1 200 OK').length === 3 && received.endsWith('}'),
    )
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(3)
  })

  test('pipelining on one connection does not take the process down', async () => {
    const request = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`
    await raw((socket) => {
      socket.write(request.repeat(5))
      setTimeout(() => socket.destroy(), 100)
    })
    expect(await post(envelopePath, oneEvent)).toMatchObject({ status: 200 })
    expect(errors).toEqual([])
  })
})

describe('/store/', () => {
  const storePath = `/api/42/store/?sentry_key=${key}`

  test('takes JSON, and base64 of zlib as raven sends it', async () => {
    const event = `{"event_id":"${id}","message":"a"}`
    const packed = zlib.deflateSync(event).toString('base64')
    for (const body of [event, packed]) {
      expect(await post(storePath, body)).toMatchObject({ status: 200, text: `{"id":"${id}"}` })
    }
    expect(events()).toEqual([event, event])
  })

  test('takes an envelope when the type says so', async () => {
    const headers = { 'content-type': 'application/x-sentry-envelope' }
    expect(await post(storePath, oneEvent, headers)).toMatchObject({ status: 200 })
    expect(events()).toEqual([message])
  })

  test('refuses what is no event', async () => {
    for (const body of ['null', '[]', '"x"', '{', '']) {
      expect((await post(storePath, body)).status).toBe(400)
    }
  })
})

describe('everything else', () => {
  const url = (path: string) => `http://127.0.0.1:${port}${path}`

  test('preflight is answered everywhere', async () => {
    for (const path of ['/api/42/envelope/', '/api/42/store', '/elsewhere']) {
      const reply = await fetch(url(path), { method: 'OPTIONS' })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('access-control-allow-headers')).toContain('x-sentry-auth')
      expect(reply.headers.get('access-control-expose-headers')).toContain('retry-after')
      expect(reply.headers.get('access-control-max-age')).toBe('3600')
    }
  })

  test('another method on an intake path is 405 and says which is allowed', async () => {
    const reply = await fetch(url('/api/42/envelope/'))
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST, OPTIONS')
    expect(await reply.json()).toMatchObject({ detail: 'only POST is allowed here' })
  })

  test('health, readiness and metrics', async () => {
    expect(await (await fetch(url('/health'))).json()).toEqual({ status: 'ok' })
    expect((await fetch(url('/health/ready'))).status).toBe(200)
    acknowledges = false
    const notReady = await fetch(url('/health/ready'))
    expect(notReady.status).toBe(503)
    expect(await notReady.json()).toMatchObject({ missing: ['nats'] })
    const metrics = await (await fetch(url('/metrics'))).text()
    expect(metrics).toMatch(/^ingest_replies_total\{status="200"\} \d+$/m)
  })

  test('while draining each answer closes its connection', async () => {
    ctx.load.isDraining = true
    const reply = await raw(
      (socket) => {
        const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\n`
        socket.write(`${head}Content-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`)
      },
      () => false,
    )
    ctx.load.isDraining = false
    expect(reply).toMatch(/^HTTP\/1.1 200 OK[\s\S]*Connection: close/i)
  })

  test('a second server on the port is told so', async () => {
    const second = createHttpServer({
      uws: loadUws(),
      ctx,
      metrics: new IngestMetrics(),
      trustsProxies: false,
      notReady: () => [],
    })
    await expect(second.listen('127.0.0.1', port)).rejects.toThrow(/port is taken/)
    second.close()
  })
})

/** One frame of one raw block (RFC 8878): there is no encoder on the oldest Node that we run on. */
function rawZstd(bytes: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x60, 0, 0, 0, 0, 0])
  head.writeUInt16LE(Math.max(0, bytes.length - 256), 5)
  const single = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length])
  const start = bytes.length < 256 ? single : head.subarray(0, 7)
  const block = Buffer.alloc(3)
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3)
  return Buffer.concat([start, block, bytes])
}
