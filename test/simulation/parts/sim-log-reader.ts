/**
 * Reads one partition of the broker's stream for a process: delayed, in order, and continuing after
 * a loss or recreation of the stream.
 */
import assert from 'node:assert'
import type { Clock } from '#platform/clock.ts'
import { rangeFramesMax } from '#schemas/limits.ts'
import type { LogMessage, LogReader } from '../../../workers/partitions/ports.ts'
import type { SimBroker } from './sim-broker.ts'
import type { SimProcess } from './sim-process.ts'

const pollMs = 250
/** In place of what was given back: no frame begins with it. */
const overwritten = 0xa5
const messagesPerDelivery = 16

export class SimLogReader implements LogReader {
  lastSeq: number
  readonly #process: SimProcess
  readonly #broker: SimBroker
  readonly #partition: number
  readonly #buffered: LogMessage[] = []
  readonly #released = new WeakSet<Uint8Array>()
  #isClosed = false
  #isReading = false
  #wake: () => void = () => undefined
  readonly #unwatch: () => void

  constructor(
    process: SimProcess,
    broker: SimBroker,
    { partition, afterSeq }: { partition: number; afterSeq: number },
  ) {
    this.#process = process
    this.#broker = broker
    this.#partition = partition
    this.lastSeq = afterSeq
    this.#unwatch = broker.watch(() => this.#read())
    process.onDeath(this.#unwatch)
    this.#poll()
  }

  async take(
    clock: Clock,
    { notBeforeMs, deadlineMs }: { notBeforeMs: number; deadlineMs: number },
  ): Promise<readonly LogMessage[]> {
    while (!this.#isClosed) {
      const nowMs = clock.monotonicMs()
      const isFull = this.#buffered.length >= rangeFramesMax
      if (this.#buffered.length > 0 && (nowMs >= notBeforeMs || isFull)) break
      if (this.#buffered.length === 0 && nowMs >= deadlineMs) break
      const untilMs = this.#buffered.length > 0 ? notBeforeMs : deadlineMs
      await this.#waitForMessage(Math.max(0.01, untilMs - nowMs))
    }
    return this.#isClosed ? [] : this.#buffered.splice(0, rangeFramesMax)
  }

  async takeThrough(toSeq: number): Promise<readonly LogMessage[] | undefined> {
    while (!this.#isClosed && this.lastSeq < toSeq) await this.#waitForMessage(1_000)
    const end = this.#buffered.findIndex(({ streamSeq }) => streamSeq > toSeq)
    const count = end === -1 ? this.#buffered.length : end
    return this.#isClosed ? undefined : this.#buffered.splice(0, count)
  }

  /** The memory serves other messages from now on. */
  release(messages: readonly LogMessage[]): void {
    for (const { streamSeq, bytes } of messages) {
      assert(!this.#released.has(bytes), `message ${streamSeq} was given back twice`)
      this.#released.add(bytes)
      bytes.fill(overwritten)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unwatch()
    this.#wake()
  }

  #poll(): void {
    if (this.#isClosed) return
    this.#read()
    this.#process.after(pollMs, () => this.#poll())
  }

  #read(): void {
    if (this.#isReading || this.#isClosed) return
    if (!this.#next(1).some(() => true)) return
    this.#isReading = true
    this.#process.after(this.#broker.latency(), () => {
      this.#isReading = false
      if (this.#isClosed || this.#broker.isDown || this.#broker.trouble.hangs) return
      for (const { seq, bytes } of this.#next(messagesPerDelivery)) {
        this.lastSeq = seq
        this.#buffered.push({ streamSeq: seq, bytes: Uint8Array.from(bytes) })
      }
      this.#wake()
      this.#read()
    })
  }

  #next(count: number) {
    const { messages } = this.#broker.streamOf(this.#partition)
    const next = []
    for (const message of messages) {
      if (message.partition !== this.#partition || message.seq <= this.lastSeq) continue
      next.push(message)
      if (next.length === count) break
    }
    return next
  }

  #waitForMessage(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#process.after(timeoutMs, () => this.#wake())
      this.#wake = () => {
        cancel()
        this.#wake = () => undefined
        resolve()
      }
    })
  }
}
