/**
 * The real HTTP server over real sockets, for the tests beside this file; the bus and both stores are in memory.
 * One server serves a file of tests, each of which begins with no frames and no errors.
 */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { proxyList } from '#platform/forwarded-address.ts'
import { decodeFrame, decodeRecords, type RecordView } from '#schemas/bus/frame.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { createIngest } from '../create-ingest.ts'
import { ReleasedIds } from '../dedup/released-ids.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { IngestMetrics } from '../metrics.ts'
import { MemoryQuotaStore, type ProjectSettings } from '../quota/memory-quota-store.ts'
import { createHttpServer, type HttpServer } from './http-server.ts'
import { loadUws } from './load-uws.ts'

/** To be called once, at the top of a file of tests. */
export function serveTests(): HttpFixture {
  const fixture = new HttpFixture()
  beforeAll(() => fixture.start())
  beforeEach(() => fixture.reset())
  afterAll(() => fixture.stop())
  return fixture
}

export const key = 'a'.repeat(32)
export const componentKey = 'b'.repeat(32)
export const disabledKey = 'c'.repeat(32)
export const otherProjectKey = 'd'.repeat(32)
/** The store does not answer for this one. */
export const awayKey = 'e'.repeat(32)
/** Its project takes from pages below shop.example alone. */
export const pagesKey = '7'.repeat(32)

export const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
export const message = '{"message":"a"}'
export const oneEvent = `{"event_id":"${id}"}\n{"type":"event"}\n${message}`
export const envelopePath = `/api/42/envelope/?sentry_key=${key}&sentry_version=7&sentry_client=sentry.js%2F10`

export const storedAnswer = { kind: 'stored', seq: 1, isDuplicate: false } as const

export class HttpFixture {
  readonly ctx: IngestContext
  /** The projects of the keys are without limit at first. */
  readonly quotaStore = new MemoryQuotaStore()
  /** As sent to the bus, in order. */
  readonly frames: { frame: SealedFrame; token: number }[] = []
  readonly errors: unknown[] = []
  readonly metrics = new IngestMetrics()
  /** The wall clock, where a test holds it still. */
  nowMs: number | undefined
  /** Whether the bus does. */
  acknowledges = true
  port = 0
  #lastProjectId = 1000
  readonly #server: HttpServer
  #sweeper: NodeJS.Timeout | undefined

  constructor() {
    this.ctx = createIngest({
      clock: {
        nowMs: () => this.nowMs ?? systemClock.nowMs(),
        monotonicMs: () => systemClock.monotonicMs(),
      },
      bootId: 'ab'.repeat(16),
      durability: 'broker',
      delivery: undefined,
      keyStore: { load: loadKey },
      quotaStore: this.quotaStore,
      transport: {
        isConnected: () => true,
        send: (frame, token) => {
          // The bytes are written over once the frame is acknowledged.
          this.frames.push({ frame: { ...frame, bytes: Buffer.from(frame.bytes) }, token })
          if (!this.acknowledges) return
          setImmediate(() => this.ctx.courier.receive(token, storedAnswer))
        },
      },
      partitionCount: 4,
      ackTimeoutMs: 300,
      isTrustedProxy: proxyList(['127.0.0.0/8']),
      onTrouble() {},
      onError: (error) => this.errors.push(error),
    })
    this.metrics.watch(this.ctx)
    this.#server = createHttpServer({
      uws: loadUws(),
      ctx: this.ctx,
      metrics: this.metrics,
      trustsProxies: true,
      notReady: () => (this.acknowledges ? [] : ['nats']),
    })
  }

  async start(): Promise<void> {
    this.port = await this.#server.listen({ host: '127.0.0.1', port: 0, access: 'exclusive' })
    this.#sweeper = setInterval(() => {
      this.ctx.courier.sweep()
      this.ctx.batcher.sweep()
      this.ctx.load.sweep()
      this.ctx.quota.tick()
    }, 20)
  }

  reset(): void {
    this.frames.length = 0
    this.errors.length = 0
    this.acknowledges = true
    this.nowMs = undefined
    this.quotaStore.fails = undefined
    this.quotaStore.projects.clear()
    for (const id of [42, 43]) this.quotaStore.projects.set(id as ProjectId, {})
    // Tests send the same events again, which would be copies of those of the test before.
    Object.assign(this.ctx, {
      releasedIds: new ReleasedIds({ monotonicMs: () => systemClock.monotonicMs() }),
    })
  }

  stop(): void {
    clearInterval(this.#sweeper)
    this.#server.close()
  }

  /** A project of its own, with one key, for a test of what is limited. */
  project(settings: ProjectSettings): { path: string; projectId: ProjectId; keyNo: DsnKeyNo } {
    this.#lastProjectId += 1
    const projectId = this.#lastProjectId as ProjectId
    const keyNo = this.#lastProjectId as DsnKeyNo
    const publicKey = this.#lastProjectId.toString(16).padStart(32, 'f')
    keys.set(publicKey, { projectId, projectText: String(projectId), keyNo })
    this.quotaStore.projects.set(projectId, settings)
    return { path: `/api/${projectId}/envelope/?sentry_key=${publicKey}`, projectId, keyNo }
  }

  records(): RecordView[] {
    return this.frames.flatMap(({ frame }) => decodeRecords(decodeFrame(frame.bytes)))
  }

  events(): string[] {
    return this.records()
      .filter((record) => record.kind === 'event')
      .map((record) => Buffer.from(record.payload).toString())
  }

  outcomes(): string[] {
    return this.records()
      .filter((record) => record.kind === 'outcomes')
      .flatMap((record): OutcomeCount[] => JSON.parse(Buffer.from(record.payload).toString()))
      .map(({ outcome, reason, quantity }) => `${outcome} ${reason} ${quantity}`)
  }

  async post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) {
    const url = `http://127.0.0.1:${this.port}${path}`
    const reply = await fetch(url, { method: 'POST', body, headers })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }

  /** Writes raw bytes and reads until `until` holds or the connection ends. */
  raw(
    write: (socket: Socket) => void,
    until = (text: string) => /\r\n\r\n[\s\S]*}$/.test(text),
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1')
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
}

const keys = new Map<string, Partial<DsnKey>>([
  [key, {}],
  [componentKey, { component: 'worker', keyNo: 2 as DsnKeyNo }],
  [disabledKey, { active: false }],
  [pagesKey, { allowedOrigins: ['https://*.shop.example', 'https://shop.example'] }],
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
    allowedOrigins: [],
    ...fields,
  }
}
