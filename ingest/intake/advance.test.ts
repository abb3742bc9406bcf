/**
 * The memory of a body is valid only in the turn in which the HTTP server passes it. Here it is
 * overwritten when that turn ends, so a step that waits without copying the bytes would publish
 * garbage.
 */

import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import { MemoryQuotaStore } from '../../test/fixtures/ingest/memory-quota-store.ts'
import { createIngest } from '../create-ingest.ts'
import { cronFormat } from '../cron/cron-format.ts'
import { envelopeFormat } from '../envelope/envelope-format.ts'
import type { Reply } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { otlpLogsFormat } from '../otlp/logs-format.ts'
import { securityFormat } from '../security/security-format.ts'
import { storeFormat } from '../store/store-format.ts'
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
const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
const credentials = { kind: 'key', publicKey, client: '' } as const
const none = { kind: 'none' } as const

function setUp() {
  const quotaStore = new MemoryQuotaStore()
  quotaStore.projects.set(key.projectId, {})
  const clock = { nowMs: () => 1_000, monotonicMs: () => 1_000 }
  const payloads: string[] = []
  const errors: unknown[] = []
  const ctx = createIngest({
    clock,
    instanceId: 'ab'.repeat(16),
    durability: 'broker',
    delivery: undefined,
    keyStore: { load: async () => key },
    quotaStore,
    transport: {
      isConnected: () => true,
      send: (frame, token) => {
        for (const record of decodeRecords(decodeFrame(frame.bytes))) {
          payloads.push(Buffer.from(record.payload).toString())
        }
        ctx.courier.receive(token, { kind: 'stored', seq: 1, isDuplicate: false })
      },
    },
    layout: firstLayout({ partitions: 1, streams: 1 }),
    ackTimeoutMs: 1_000,
    isTrustedProxy: () => false,
    onTrouble() {},
    onError: (error) => errors.push(error),
  })
  /** Sends a body in new memory, which is overwritten when `receive` returns. */
  const send = (head: Partial<RequestHead>, text: string | Buffer): Promise<Reply> =>
    new Promise((resolve) => {
      const lent = new Uint8Array(Buffer.from(text))
      const request = new IntakeRequest(
        ctx,
        {
          format: envelopeFormat,
          projectText: '42',
          credentials,
          encoding: 'identity',
          contentLength: lent.length,
          forwardedFor: '',
          origin: '',
          ...head,
        },
        { respond: resolve, peerAddress: () => new Uint8Array(4) },
      )
      request.receive(Buffer.from(lent.buffer), true)
      lent.fill(0x21)
    })
  return { ctx, send, payloads, errors }
}

const event = '{"message":"a"}'
const envelope = `{"event_id":"${id}"}\n{"type":"event"}\n${event}`
const withDsn = `{"event_id":"${id}","dsn":"http://${publicKey}@host/42"}\n{"type":"event"}\n${event}`
const large = `{"message":"${'x'.repeat(300_000)}"}`
const largeEnvelope = `{"event_id":"${id}"}\n{"type":"event"}\n${large}`
const base64 = deflateSync(`{"event_id":"${id}"}`).toString('base64')
const json = securityFormat({
  contentType: 'application/json',
  userAgent: '',
  referrer: '',
  query: '',
})
const report = JSON.stringify({
  'csp-report': { 'document-uri': 'https://a.example', 'violated-directive': 'img-src' },
})
const logs = (count: number) =>
  JSON.stringify({
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: Array.from({ length: count }, (_, index) => ({
              timeUnixNano: String(index + 1),
              severityNumber: 17,
              body: { stringValue: `failure ${index}` },
            })),
          },
        ],
      },
    ],
  })
const otlp = otlpLogsFormat('application/json')

// biome-ignore format: the columns are the point
const bodies: readonly (readonly [string, Partial<RequestHead>, string | Buffer])[] = [
  ['an envelope                      ', {},                                              envelope],
  ['an envelope that names its key   ', { credentials: none },                           withDsn],
  ['an envelope of free items        ', {},                                              `{}\n{"type":"session"}\n{"sid":"${id}"}`],
  ['a small compressed envelope      ', { encoding: 'gzip' },                            gzipSync(envelope)],
  ['a compressed envelope, named key ', { encoding: 'gzip', credentials: none },         gzipSync(withDsn)],
  ['a large compressed envelope      ', { encoding: 'gzip' },                            gzipSync(largeEnvelope)],
  ['an event of /store/              ', { format: storeFormat },                         event],
  ['an event of /store/ in base64    ', { format: storeFormat },                         base64],
  ['a check-in by URL                ', { format: cronFormat('nightly', 'status=ok') },  ''],
  ['a security report                ', { format: json },                                report],
  ['a small OTLP batch               ', { format: otlp },                                logs(3)],
  ['an OTLP batch of several turns   ', { format: otlp },                                logs(200)],
]

const bringsKey = '{}\n{"type":"session"}\n{}'
const bringsKeyAndLease = '{}\n{"type":"event"}\n{"message":"warm-up"}'

test.each(bodies)(
  '%s gives the same records with every combination of waits',
  async (_name, head, body) => {
    const results: unknown[] = []
    for (const before of [undefined, bringsKey, bringsKeyAndLease]) {
      const { ctx, send, payloads, errors } = setUp()
      if (before !== undefined) await send({}, before)
      payloads.length = 0
      const { status } = await send(head, body)
      results.push({ status, payloads, errors })
      await expect.poll(() => ctx.load.bufferedBytes).toBe(0)
      expect(ctx.load.requestCount).toBe(0)
    }
    const [whenNew, withKey, withAll] = results
    expect(withAll).toMatchObject({ status: expect.toSatisfy(isSuccess), errors: [] })
    expect(withAll).not.toMatchObject({ payloads: [] })
    expect(whenNew).toEqual(withAll)
    expect(withKey).toEqual(withAll)
  },
)

function isSuccess(status: number): boolean {
  return status < 300
}

test('a request that need not wait is published in the turn in which its body arrives', async () => {
  const { ctx, send, payloads } = setUp()
  await send({}, bringsKeyAndLease)
  payloads.length = 0
  const reply = send({}, envelope)
  expect(ctx.load).toMatchObject({ bufferedBytes: 0, requestCount: 1 })
  ctx.batcher.flush()
  expect(payloads).toEqual([event])
  expect((await reply).status).toBe(200)
})

test('the bytes of a request that waits for quota are counted', async () => {
  const { ctx, send } = setUp()
  await send({}, bringsKey)
  const reply = send({ encoding: 'gzip' }, gzipSync(envelope))
  expect(ctx.quota.waiterCount).toBe(1)
  expect(ctx.load.bufferedBytes).toBe(envelope.length)
  await reply
  await expect.poll(() => ctx.load.bufferedBytes).toBe(0)
})
