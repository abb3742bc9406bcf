import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import { MemoryQuotaStore } from '../../test/fixtures/ingest/memory-quota-store.ts'
import { createIngest } from '../create-ingest.ts'
import { envelopeFormat } from '../envelope/envelope-format.ts'
import type { Reply } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { IntakeRequest } from './intake-request.ts'
import type { RequestHead } from './request-head.ts'

const publicKey = 'a'.repeat(32) as PublicKey
const key: DsnKey = {
  publicKey,
  keyNo: 1 as DsnKeyNo,
  projectId: 42 as ProjectId,
  projectText: '42',
  component: undefined,
  active: true,
  allowedOrigins: [],
}
const body = Buffer.from('{}\n{"type":"event"}\n{}')

function setUp() {
  let giveKey: (key: DsnKey) => void = () => undefined
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const errors: unknown[] = []
  const quotaStore = new MemoryQuotaStore()
  quotaStore.projects.set(key.projectId, {})
  const ctx = createIngest({
    clock,
    instanceId: 'ab'.repeat(16),
    durability: 'broker',
    delivery: undefined,
    keyStore: {
      load: () =>
        new Promise((resolve) => {
          giveKey = resolve
        }),
    },
    quotaStore,
    transport: { isConnected: () => true, send() {} },
    layout: firstLayout({ partitions: 1, streams: 1 }),
    ackTimeoutMs: 1000,
    isTrustedProxy: () => false,
    onTrouble() {},
    onError: (error) => errors.push(error),
  })
  const replies: Reply[] = []
  const begin = (head: Partial<RequestHead> = {}) =>
    new IntakeRequest(
      ctx,
      {
        format: envelopeFormat,
        projectText: '42',
        credentials: { kind: 'key', publicKey, client: '' },
        encoding: 'identity',
        contentLength: 0,
        forwardedFor: '',
        origin: '',
        ...head,
      },
      { respond: (reply) => replies.push(reply), peerAddress: () => new Uint8Array(4) },
    )
  return { ctx, clock, errors, replies, begin, giveKey: () => giveKey(key) }
}

describe('the body of a request whose client has disconnected', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['in one piece', [body]],
    ['in pieces   ', [body.subarray(0, 5), body.subarray(5)]],
  ] as const)('is counted while a step works on it: %s', async (_name, chunks) => {
    const { ctx, errors, replies, begin, giveKey } = setUp()
    const request = begin()
    for (const [index, chunk] of chunks.entries()) {
      request.receive(chunk, index === chunks.length - 1)
    }
    const { bufferedBytes } = ctx.load
    expect(bufferedBytes).toBeGreaterThanOrEqual(body.length)
    request.abort()
    expect(ctx.load).toMatchObject({ bufferedBytes, requestCount: 0 })
    giveKey()
    await expect.poll(() => ctx.load.bufferedBytes).toBe(0)
    expect(replies).toEqual([])
    expect(errors).toEqual([])
    expect(ctx.courier.frameCount).toBe(0)
  })

  test('is released at once while no step works on it', () => {
    const { ctx, begin } = setUp()
    const request = begin()
    request.receive(body, false)
    expect(ctx.load.bufferedBytes).toBeGreaterThan(0)
    request.abort()
    expect(ctx.load).toMatchObject({ bufferedBytes: 0, requestCount: 0 })
  })

  test('is counted while it waits to be inflated', async () => {
    const { ctx, begin, giveKey } = setUp()
    const warm = begin()
    warm.receive(body, true)
    giveKey()
    await expect.poll(() => ctx.load.bufferedBytes).toBe(0)
    expect(ctx.keys.peek(publicKey)).toBe(key)
    const packed = gzipSync(Buffer.alloc(300_000, 'x'))
    const requests = Array.from({ length: 40 }, () => {
      const request = begin({ encoding: 'gzip' })
      request.receive(packed, true)
      return request
    })
    expect(ctx.load.bufferedBytes).toBe(40 * packed.length)
    for (const request of requests) request.abort()
    expect(ctx.load.bufferedBytes).toBe(40 * packed.length)
    await expect.poll(() => ctx.load.bufferedBytes).toBe(0)
  })
})

test('a body that has not arrived after a minute is answered 503, and released', () => {
  const { ctx, clock, replies, begin } = setUp()
  begin().receive(body, false)
  clock.ms = 59_999
  ctx.load.sweep()
  expect(replies).toEqual([])
  clock.ms = 60_000
  ctx.load.sweep()
  expect(replies).toMatchObject([{ status: 503 }])
  expect(ctx.load).toMatchObject({ bufferedBytes: 0, requestCount: 0 })
})
