/**
 * One ingest process: the product's own wiring (`createIngest`) on a simulated bus, store and disk. Requests come in behind
 * the HTTP server, which is the only part of ingest that is left out.
 */
import { BlockList } from 'node:net'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import type { IngestContext } from '../../ingest/context.ts'
import { createIngest } from '../../ingest/create-ingest.ts'
import { IntakeRequest } from '../../ingest/intake/intake-request.ts'
import type { KeyStore } from '../../ingest/keys/key-cache.ts'
import type { ProjectPlan } from './plan-scenario.ts'
import type { BrokerConnection } from './sim-broker.ts'
import type { Door } from './sim-clients.ts'
import { SimProcess } from './sim-process.ts'
import type { Service } from './slot.ts'
import type { World } from './world.ts'

const sweepMs = 50
const sealMs = 500
const drainMsMax = 10_000

export class SimIngest implements Service, Door {
  readonly process: SimProcess
  readonly #world: World
  readonly #ctx: IngestContext
  readonly #bus: BrokerConnection

  constructor(world: World, name: string) {
    this.#world = world
    this.process = new SimProcess(name, world.timeline, world.wall)
    const { process } = this
    this.#bus = world.connect(process)
    this.#ctx = createIngest({
      clock: process.clock,
      keyStore: this.#keyStore(),
      transport: {
        isConnected: () => this.#bus.isConnected,
        send: (frame, token) => this.#bus.send(frame, token),
      },
      partitionCount: world.scenario.partitions,
      ackTimeoutMs: 10_000,
      trustedProxies: new BlockList(),
      onTrouble: (answer) => process.note(`trouble ${JSON.stringify(answer)}`),
      onError: (error) => world.timeline.fail(error),
    })
    this.#bus.onAnswer = (token, answer) => this.#ctx.courier.receive(token, answer)
    this.#bus.onReconnect = () => this.#ctx.courier.resendAll()
    process.every(sweepMs, () => {
      this.#ctx.courier.sweep()
      this.#ctx.load.sweep()
    })
    process.every(sealMs, () => this.#ctx.batcher.flush())
  }

  knock(
    { project, body }: { readonly project: ProjectPlan; readonly body: Buffer },
    onAnswer: (status: number) => void,
  ): () => void {
    let request: IntakeRequest | undefined
    this.process.deliver(() => {
      request = new IntakeRequest(
        this.#ctx,
        {
          format: 'envelope',
          projectText: String(project.projectId),
          credentials: { kind: 'key', publicKey: project.publicKey as PublicKey, client: '' },
          encoding: 'identity',
          contentLength: body.length,
          forwardedFor: '',
        },
        {
          respond: ({ status }) => {
            this.process.note(`answers ${status}`)
            onAnswer(status)
          },
          peerAddress: () => new Uint8Array(4),
        },
      )
      request.receive(body, true)
    })
    return () => this.process.deliver(() => request?.abort())
  }

  async drain(): Promise<void> {
    const deadlineMs = this.process.clock.monotonicMs() + drainMsMax
    this.#ctx.load.isDraining = true
    while (this.process.clock.monotonicMs() < deadlineMs) {
      this.#ctx.batcher.flush()
      if (this.#ctx.load.requestCount === 0 && this.#ctx.courier.frameCount === 0) return
      await this.process.sleep(20)
    }
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
          }
        }),
    }
  }
}
