import type { Random } from '../../fixtures/random.ts'
import type { Timeline } from '../timeline.ts'
import type { BrokerAnswer, SimBroker, StoredMessage } from './sim-broker.ts'
import type { SimProcess } from './sim-process.ts'
import type { Traps } from './traps.ts'

const reconnectMs = [50, 600] as const

/**
 * The connection of one process. It reconnects by itself; messages in flight may be lost when it
 * breaks.
 */
export class BrokerConnection {
  isConnected: boolean
  onAnswer: (token: number, answer: BrokerAnswer) => void = () => undefined
  onReconnect: () => void = () => undefined
  onDisconnect: () => void = () => undefined
  readonly #process: SimProcess
  readonly #broker: SimBroker
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #traps: Traps
  /** Incremented when the connection breaks, so that its late answers are dropped. */
  #epoch = 0

  constructor(
    process: SimProcess,
    broker: SimBroker,
    { timeline, random, traps }: { timeline: Timeline; random: Random; traps: Traps },
  ) {
    this.#traps = traps
    this.#process = process
    this.#broker = broker
    this.#timeline = timeline
    this.#random = random
    this.isConnected = !broker.isDown
    broker.connections.add(this)
    process.onDeath(() => broker.connections.delete(this))
  }

  send(message: Omit<StoredMessage, 'seq'>, token: number): void {
    if (!this.isConnected) return
    const { trouble } = this.#broker
    if (this.#random.chance(trouble.lostMessageShare)) return
    const epoch = this.#epoch
    // Copied now, because the sender may reuse its buffer.
    const copy = { ...message, bytes: Buffer.from(message.bytes) }
    const lateMs = this.#traps.onTheWay(this.#process, 'frame stored')
    this.#timeline.after(this.#broker.latency() + lateMs, () => {
      this.#broker.accept(copy, (answer) => {
        if (answer.kind === 'stored') this.#traps.done(this.#process, 'frame stored')
        if (this.#random.chance(trouble.lostAckShare)) return
        const isLate = this.#random.chance(trouble.lateAckShare)
        const lateMs = isLate ? this.#random.spread(0, trouble.lateAckMs) : 0
        this.#timeline.after(this.#broker.latency() + lateMs, () => {
          this.#process.deliver(() => {
            if (epoch === this.#epoch) this.onAnswer(token, answer)
          })
        })
      })
    })
  }

  /** Breaks the connection. */
  lose(): void {
    if (!this.isConnected) return
    this.isConnected = false
    this.#epoch += 1
    this.#process.deliver(() => this.onDisconnect())
  }

  reconnectSoon(): void {
    this.#timeline.after(this.#random.spread(...reconnectMs), () => {
      if (this.isConnected || this.#broker.isDown) return
      this.isConnected = true
      this.#process.deliver(() => this.onReconnect())
    })
  }

  /** Breaks the connection and reconnects. */
  cut(): void {
    this.lose()
    this.reconnectSoon()
  }
}
