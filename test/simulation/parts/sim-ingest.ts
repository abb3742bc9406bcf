/**
 * One ingest process: the product's own wiring (`createIngest`) on a simulated bus, store and disk.
 * Requests enter behind the HTTP server, the only part of ingest that is left out.
 */
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import type { IngestContext } from '../../../ingest/context.ts'
import { createIngest } from '../../../ingest/create-ingest.ts'
import { envelopeFormat } from '../../../ingest/envelope/envelope-format.ts'
import { IntakeRequest } from '../../../ingest/intake/intake-request.ts'
import type { KeyStore } from '../../../ingest/keys/key-cache.ts'
import type { ProjectPlan } from '../project-plan.ts'
import type { World } from '../world.ts'
import type { BrokerConnection } from './broker-connection.ts'
import type { Endpoint } from './sim-clients.ts'
import { simDeliverySource } from './sim-delivery-source.ts'
import { SimProcess } from './sim-process.ts'
import { simQuotaStore } from './sim-quota-store.ts'
import type { Service } from './slot.ts'

// The intervals of ingest/main.ts.
const sweepMs = 50
const quotaTickMs = 100
const notificationMs = 2
const listenerProbeMs = 1_000
const sealMs = 500
const drainMsMax = 10_000
const ackTimeoutMs = 10_000

export class SimIngest implements Service, Endpoint {
  readonly process: SimProcess
  readonly #world: World
  readonly #bus: BrokerConnection
  /** Undefined until the process has its log folder. */
  #ctx: IngestContext | undefined
  #hearsChanges = false

  constructor(world: World, name: string) {
    this.#world = world
    this.process = new SimProcess(name, world.timeline, world.wall)
    this.#bus = world.connect(this.process)
    this.#start().catch((error: unknown) => {
      // The supervisor starts a new process.
      this.process.note(`cannot start: ${String(error)}`)
      this.process.kill()
    })
  }

  get isOpen(): boolean {
    return this.#ctx !== undefined && this.process.state !== 'dead'
  }

  request(
    { project, body }: { readonly project: ProjectPlan; readonly body: Buffer },
    onAnswer: (status: number) => void,
  ): () => void {
    let intake: IntakeRequest | undefined
    this.process.deliver(() => {
      if (this.#ctx === undefined) return
      intake = new IntakeRequest(
        this.#ctx,
        {
          format: envelopeFormat,
          projectText: String(project.projectId),
          credentials: { kind: 'key', publicKey: project.publicKey as PublicKey, client: '' },
          encoding: 'identity',
          contentLength: body.length,
          forwardedFor: '',
          origin: '',
        },
        {
          respond: ({ status }) => {
            this.process.note(`answers ${status}`)
            onAnswer(status)
            if (status === 200) this.#world.traps.done(this.process, 'answer')
          },
          peerAddress: () => new Uint8Array(4),
        },
      )
      intake.receive(body, true)
    })
    return () => this.process.deliver(() => intake?.abort())
  }

  async drain(): Promise<void> {
    const ctx = this.#ctx
    if (ctx === undefined) return
    const deadlineMs = this.process.clock.monotonicMs() + drainMsMax
    this.#ctx = undefined
    ctx.load.isDraining = true
    while (this.process.clock.monotonicMs() < deadlineMs) {
      ctx.batcher.flush()
      if (ctx.load.requestCount === 0 && ctx.courier.unpassedCount === 0) break
      await this.process.sleep(20)
    }
    await ctx.quota.drain()
    await ctx.walKeeper?.close()
    await ctx.wal?.close()
  }

  async #start(): Promise<void> {
    const { process } = this
    const { links, timeline, scenario, disk } = this.#world
    const random = this.#world.randomOf(process.name)
    const instanceId = random.hex(32)
    const store = disk.storeOf(process)
    const folder = await store.create(instanceId)
    process.note(`starts as ${instanceId}`)
    const noteError = (error: unknown) => process.note(`trouble: ${String(error)}`)
    const ctx = createIngest({
      clock: process.clock,
      instanceId,
      durability: scenario.durability,
      delivery: {
        store,
        folder,
        source: simDeliverySource(process, this.#world),
        logBytesMax: scenario.logBytesMax,
        onNotification: (notification) => process.note(`log: ${JSON.stringify(notification)}`),
        onError: noteError,
      },
      keyStore: this.#keyStore(),
      quotaStore: simQuotaStore(process, links.postgres, this.#world),
      transport: {
        isConnected: () => this.#bus.isConnected,
        send: (frame, token) => this.#bus.send(frame, token),
      },
      layout: scenario.layout,
      ackTimeoutMs,
      hearsLimitChanges: () => this.#hearsChanges,
      isTrustedProxy: () => false,
      onTrouble: (answer) => process.note(`trouble: ${JSON.stringify(answer)}`),
      onError: (error) => timeline.fail(error),
      randomBytes: (length) => random.bytes(length),
      atTurnEnd: (flush) => process.after(0, flush),
      sleep: (ms) => process.sleep(ms),
    })
    this.#bus.onAnswer = (token, answer) => ctx.courier.receive(token, answer)
    this.#bus.onReconnect = () => ctx.courier.resendAll()
    process.every(sweepMs, () => {
      ctx.courier.sweep()
      ctx.batcher.sweep()
      ctx.load.sweep()
      ctx.walKeeper?.tick()
    })
    this.#listen(ctx)
    process.every(quotaTickMs, () => {
      ctx.quota.tick()
      ctx.releasedIds.tick()
    })
    process.every(sealMs, () => ctx.batcher.flush())
    this.#ctx = ctx
  }

  /** Notifications are lost while the connection to Postgres is down, which is noticed late. */
  #listen(ctx: IngestContext): void {
    const { process } = this
    const { links, quota } = this.#world
    const { trouble } = links.postgres
    quota.limitListeners.add((projectId) => {
      process.after(notificationMs, () => {
        if (!trouble.isDown && !trouble.hangs) ctx.quota.limitChanged(projectId as ProjectId)
      })
    })
    process.every(listenerProbeMs, () => {
      const isConnected = !trouble.isDown && !trouble.hangs
      if (isConnected && !this.#hearsChanges) ctx.quota.limitsMayHaveChanged()
      this.#hearsChanges = isConnected
    })
  }

  #keyStore(): KeyStore {
    const { links, scenario } = this.#world
    return {
      load: (publicKey) =>
        links.postgres.call(this.process, 'load a key', () => {
          const project = scenario.projects.find((each) => each.publicKey === publicKey)
          if (project === undefined) return undefined
          return {
            publicKey,
            keyNo: project.keyNo as DsnKeyNo,
            projectId: project.projectId as ProjectId,
            projectText: String(project.projectId),
            component: undefined,
            active: true,
            allowedOrigins: [],
          }
        }),
    }
  }
}
