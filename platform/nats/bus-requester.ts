/**
 * Sends requests over the bus and waits for one reply. It connects at the first request, because
 * its process can do without the bus, and keeps the connection.
 */
import type { NatsConnection } from '@nats-io/nats-core'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { connectNats } from './nats.ts'

/** Nobody has subscribed to the subject, or nobody has replied in time. */
export class NoReplyError extends Error {}

/** The broker cannot be reached, or refuses this process. */
export class BusAwayError extends Error {}

export class BusRequester {
  readonly #urls: string
  readonly #name: string
  #connection: Promise<NatsConnection> | undefined

  /** @param name of the connection, as the broker lists it. */
  constructor(urls: string, name: string) {
    this.#urls = urls
    this.#name = name
  }

  /** Throws a `NoReplyError` or a `BusAwayError` within `timeoutMs`. */
  async request(subject: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (message.length > busMessageBytesMax) throw new RangeError('the request is too large')
    const until = performance.now() + timeoutMs
    const connection = await this.#connect(timeoutMs)
    const timeout = Math.max(1, Math.ceil(until - performance.now()))
    try {
      const { data } = await connection.request(subject, message, { timeout })
      return data
    } catch (cause) {
      throw new NoReplyError('no reply over the bus', { cause })
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  async #connect(timeoutMs: number): Promise<NatsConnection> {
    const forget = () => {
      this.#connection = undefined
    }
    if (this.#connection === undefined) {
      this.#connection = connectNats(this.#urls, this.#name, forget)
      this.#connection.catch(forget)
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no connection in time')), timeoutMs)
    })
    try {
      return await Promise.race([this.#connection, late])
    } catch (cause) {
      throw new BusAwayError('the broker cannot be reached', { cause })
    } finally {
      clearTimeout(timer)
    }
  }
}
