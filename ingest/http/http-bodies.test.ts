/** Bodies in every encoding, shape and size, and clients that disconnect. */
import { connect } from 'node:net'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventBytesMax, MiB, requestBytesMax } from '#schemas/limits.ts'
import {
  envelopePath,
  message,
  oneEvent,
  serveTests,
  storedAnswer,
} from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()

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
  ])('%s is decoded', async (_name, encoding, body) => {
    const reply = await server.post(envelopePath, new Uint8Array(body), { 'content-encoding': encoding })
    expect(reply).toMatchObject({ status: 200 })
    expect(server.events()).toEqual([message])
  })

  test('an empty Content-Encoding counts as absent', async () => {
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Encoding:\r\n`
    const text = await server.raw((socket) => {
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
    const reply = await server.post(envelopePath, new Uint8Array(body), { 'content-encoding': encoding })
    expect(reply.status).toBe(400)
  })

  test('a body that is inflated in the background is accepted', async () => {
    const noise = Buffer.alloc(80_000, 1).map((_, index) => 97 + ((index * index * 7919) % 26))
    const body = `{}\n{"type":"event"}\n{"message":"${noise.toString()}${Math.PI}"}`
    const packed = zlib.gzipSync(`${body}\n{"type":"x"}\n${'y'.repeat(400_000)}`)
    const reply = await server.post(envelopePath, new Uint8Array(packed), {
      'content-encoding': 'gzip',
    })
    expect(reply.status).toBe(200)
    expect(server.events()[0]).toHaveLength(noise.length + '{"message":""}'.length + 17)
  })

  test('decompression bombs are 413 and leave no memory allocated', async () => {
    const bomb = zlib.brotliCompressSync(Buffer.alloc(200 * MiB), {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    })
    const send = () => server.post(envelopePath, new Uint8Array(bomb), { 'content-encoding': 'br' })
    const replies = await Promise.all([send(), send(), send()])
    expect(replies.map((reply) => reply.status)).toEqual([413, 413, 413])
    expect(server.ctx.load.bufferedBytes).toBe(0)
  })
})

describe('bodies', () => {
  test('may come in chunks of one byte, without length or type', async () => {
    const text = await server.raw((socket) => {
      socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
      for (const character of oneEvent) socket.write(`1\r\n${character}\r\n`)
      socket.write('0\r\n\r\n')
    })
    expect(text).toMatch(/^HTTP\/1.1 200 OK/)
    expect(server.events()).toEqual([message])
    expect(server.ctx.load.bufferedBytes).toBe(0)
  })

  test('an event over the limit is 413, and so is a body over the limit', async () => {
    const event = `{}\n{"type":"event"}\n{"message":"${'x'.repeat(eventBytesMax)}"}`
    expect(await server.post(envelopePath, event)).toMatchObject({ status: 413 })
    const body = new Uint8Array(requestBytesMax + 1)
    expect(await server.post(envelopePath, body)).toMatchObject({ status: 413 })
    expect(server.ctx.load.bufferedBytes).toBe(0)
  })

  test('a declared length far over the limit is refused before anything is sent', async () => {
    const text = await server.raw((socket) => {
      socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n`)
    })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    expect(server.errors).toEqual([])
  })

  test('an aborted upload leaves nothing allocated', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`
    socket.write(`${head}${oneEvent}`)
    await expect.poll(() => server.ctx.load.bufferedBytes).toBeGreaterThan(0)
    socket.destroy()
    await expect
      .poll(() => [server.ctx.load.bufferedBytes, server.ctx.load.requestCount])
      .toEqual([0, 0])
    expect(server.events()).toEqual([])
  })

  test('a client that disconnects before its answer does no harm', async () => {
    server.acknowledges = false
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n`
    socket.write(`${head}${oneEvent}`)
    await expect.poll(() => server.frames.length).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(() => server.ctx.load.requestCount).toBe(0)
    for (const { token } of server.frames) server.ctx.courier.receive(token, storedAnswer)
    server.acknowledges = true
    expect(await server.post(envelopePath, oneEvent)).toMatchObject({ status: 200 })
    expect(server.errors).toEqual([])
  })

  test('two requests one after the other share a connection', async () => {
    const request = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`
    let isSecondSent = false
    const text = await server.raw(
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

  test('pipelining on one connection does not crash the process', async () => {
    const request = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`
    await server.raw((socket) => {
      socket.write(request.repeat(5))
      setTimeout(() => socket.destroy(), 100)
    })
    expect(await server.post(envelopePath, oneEvent)).toMatchObject({ status: 200 })
    expect(server.errors).toEqual([])
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
