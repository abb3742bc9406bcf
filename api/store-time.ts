/**
 * The time that one request may wait for Postgres and ClickHouse. Each of its queries gets what is
 * left, so a request with many queries is answered 503 in time as well. Only waiting counts: a slow
 * upload or the composing of an email costs nothing, and parallel queries count once.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { systemClock } from '#platform/clock.ts'
import { TimeLimitError, within } from '#platform/readiness/within.ts'

/**
 * A request is answered within 10 s, with a margin for opening a connection and for a busy machine.
 */
export const storeMsMax = 7_000
/** For one query of work that belongs to no request. */
const queryMsMax = 30_000

class StoreTime {
  #leftMs: number
  #waiting = 0
  #sinceMs = 0

  constructor(msMax: number) {
    this.#leftMs = msMax
  }

  get leftMs(): number {
    return this.#waiting === 0 ? this.#leftMs : this.#leftMs - (nowMs() - this.#sinceMs)
  }

  begin(): void {
    if (this.#waiting === 0) this.#sinceMs = nowMs()
    this.#waiting += 1
  }

  end(): void {
    this.#waiting -= 1
    if (this.#waiting === 0) this.#leftMs -= nowMs() - this.#sinceMs
  }

  /** What follows the reply, or streams it, has no common limit: each query has its own. */
  release(): void {
    this.#leftMs = Number.POSITIVE_INFINITY
  }
}

const current = new AsyncLocalStorage<StoreTime>()
const ofRequest = new WeakMap<FastifyRequest, StoreTime>()

/** Call it before any hook that uses a store. */
export function limitStoreTime(app: FastifyInstance, msMax: number): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const time = new StoreTime(msMax)
    ofRequest.set(request, time)
    current.run(time, done)
  })
  // The events of a body arrive outside the context of the first hook.
  app.addHook('preValidation', (request, _reply, done) => {
    const time = ofRequest.get(request)
    if (time === undefined) done()
    else current.run(time, done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    ofRequest.get(request)?.release()
    done(null, payload)
  })
}

/**
 * Runs one query within the time that the request has left. Rejects with `TimeLimitError`; `work`
 * gets the limit, to end the query itself.
 */
export async function inStoreTime<T>(store: string, work: (ms: number) => Promise<T>): Promise<T> {
  const time = current.getStore()
  const ms = time === undefined ? queryMsMax : Math.ceil(Math.min(storeMsMax, time.leftMs))
  if (ms <= 0) throw new TimeLimitError('the time of the request for its stores is used up')
  time?.begin()
  try {
    return await within(ms, store, work(ms))
  } finally {
    time?.end()
  }
}

function nowMs(): number {
  return systemClock.monotonicMs()
}
