/**
 * One thread for requests of the API, beside those that digest ranges: a request takes no turn of a
 * partition, and a hostile one ends with its own thread.
 *
 *   waiting ──thread free──▶ running ──▶ reply
 *      │                        └── takes too long, or too much memory ──▶ too_slow; new thread
 *      ├── too many wait ──▶ busy
 *      └── waited so long that nobody listens any more ──▶ dropped
 */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { threadArguments } from '#platform/threads/thread-arguments.ts'
import {
  type WorkerRefusal,
  type WorkerReply,
  workerReplyMsMax,
} from '#schemas/bus/worker-request.ts'
import type { SharedPlaces } from '../places/place-file.ts'
import type { RequestTask } from './request-thread.ts'

export interface RequestPoolOptions {
  readonly runMsMax?: number
  readonly waitingMax?: number
  readonly heapMb?: number
  /** The GeoIP file that is in use now. */
  readonly places?: () => SharedPlaces | undefined
  /** Another entry for the thread, for tests. */
  readonly filename?: string
}

/** Less than the API waits, so that it learns why there is no result. */
const runMsMaxDefault = 4_000
const waitingMaxDefault = 8
const heapMbDefault = 256

export class RequestPool {
  readonly #options: Required<Omit<RequestPoolOptions, 'filename' | 'places'>>
  readonly #places: NonNullable<RequestPoolOptions['places']>
  readonly #threads: Piscina
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor({
    runMsMax = runMsMaxDefault,
    waitingMax = waitingMaxDefault,
    heapMb = heapMbDefault,
    places,
    filename,
  }: RequestPoolOptions = {}) {
    this.#options = { runMsMax, waitingMax, heapMb }
    this.#places = places ?? (() => undefined)
    this.#threads = new Piscina({
      filename: filename ?? fileURLToPath(new URL('./request-thread.js', import.meta.url)),
      // Loading its modules first would take a busy machine most of the time that the API waits.
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      execArgv: [...threadArguments],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
  }

  /** The reply; undefined if nobody waits for it any more. Never rejects. */
  run(message: Uint8Array): Promise<Uint8Array | undefined> {
    if (this.#waiting >= this.#options.waitingMax) return Promise.resolve(refusal('busy'))
    this.#waiting += 1
    const since = performance.now()
    const turn = this.#last.then(() => {
      this.#waiting -= 1
      return performance.now() - since < workerReplyMsMax ? this.#perform(message) : undefined
    })
    this.#last = turn
    return turn
  }

  async #perform(message: Uint8Array): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(this.#options.runMsMax)
    try {
      // A copy, because the message may be a view into a chunk of the connection.
      const task: RequestTask = { message: message.slice(), places: this.#places() }
      return await this.#threads.run(task, { signal })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isTooMuch = signal.aborted || code === 'ERR_WORKER_OUT_OF_MEMORY'
      return refusal(isTooMuch ? 'too_slow' : 'failed')
    }
  }

  /** Ends the running request with its thread. */
  close(): Promise<void> {
    return this.#threads.destroy()
  }
}

export function refusal(why: WorkerRefusal): Uint8Array {
  const reply: WorkerReply = { kind: 'refused', why }
  return Buffer.from(JSON.stringify(reply))
}
