/**
 * `node:zlib` supports zstd from Node 22.15. On older versions a JavaScript decoder runs in its own
 * thread: a block of twenty bytes can keep it busy for many seconds without output, so it must be
 * possible to terminate it.
 */
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import * as zlib from 'node:zlib'
import type { Inflated } from './inflate.ts'
import { readZstdFrame, reframe } from './read-zstd-frame.ts'

type Native = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void
const native: Native | undefined = Reflect.get(zlib, 'zstdDecompress')

/** A multiple of what the largest legitimate body takes. */
const workMsMax = 5_000

/** Inflates one body at a time; the caller ensures that. */
export class ZstdInflater {
  readonly #workMsMax: number
  #thread: Worker | undefined

  constructor(options: { workMsMax: number } = { workMsMax }) {
    this.#workMsMax = options.workMsMax
  }

  async inflate(bytes: Uint8Array, bytesMax: number): Promise<Inflated> {
    const frame = readZstdFrame(bytes, bytesMax)
    if (typeof frame === 'string') return frame
    const inflated =
      native === undefined
        ? await this.#inThread({ framed: reframe(bytes, frame), bytesMax })
        : await inflateNatively(native, bytes, bytesMax)
    if (typeof inflated === 'string' || frame.contentBytes === undefined) return inflated
    return inflated.length === frame.contentBytes ? inflated : 'corrupt'
  }

  #inThread(job: ThreadJob): Promise<Inflated> {
    this.#thread ??= this.#startThread()
    const thread = this.#thread
    return new Promise((resolve) => {
      const end = (inflated: Inflated) => {
        clearTimeout(timer)
        thread.off('error', giveUp).off('exit', giveUp).off('message', take)
        resolve(inflated)
      }
      const giveUp = () => {
        this.#thread = undefined
        void thread.terminate()
        end('corrupt')
      }
      const take = (answer: ThreadAnswer) => {
        end(typeof answer === 'string' ? answer : Buffer.from(answer.buffer))
      }
      const timer = setTimeout(giveUp, this.#workMsMax)
      thread.on('error', giveUp).on('exit', giveUp).on('message', take)
      thread.postMessage(job, [job.framed.buffer])
    })
  }

  /**
   * A worker that exits between two bodies is replaced for the next one, and its error has no other
   * effect.
   */
  #startThread(): Worker {
    const decoderPath = createRequire(import.meta.url).resolve('fzstd')
    const thread = new Worker(threadSource, { eval: true, workerData: { decoderPath } })
    thread.unref()
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    return thread
  }
}

interface ThreadJob {
  readonly framed: Uint8Array<ArrayBuffer>
  readonly bytesMax: number
}

type ThreadAnswer = Uint8Array<ArrayBuffer> | 'corrupt' | 'too_large'

/** Source text instead of a file, so that it runs unchanged from the sources and from the build. */
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')
const { Decompress } = require(workerData.decoderPath)
function inflate({ framed, bytesMax }) {
  const parts = []
  let length = 0
  const decoder = new Decompress((part) => {
    length += part.length
    if (bytesMax < length) throw new RangeError('over the cap')
    parts.push(part)
  })
  try {
    decoder.push(framed, true)
  } catch {
    return bytesMax < length ? 'too_large' : 'corrupt'
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
parentPort.on('message', (job) => {
  const answer = inflate(job)
  parentPort.postMessage(answer, typeof answer === 'string' ? [] : [answer.buffer])
})
`

async function inflateNatively(
  decompress: Native,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Inflated> {
  try {
    return await promisify<Uint8Array, { maxOutputLength: number }, Buffer>(decompress)(bytes, {
      maxOutputLength: bytesMax,
    })
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'corrupt'
  }
}
