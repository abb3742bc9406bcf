import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { RangeInput, RangeOutput } from './digest/digest-range.ts'
import type { DigestTask } from './digest-thread.ts'

export interface DigestPoolOptions {
  readonly threadCount: number
  readonly threadHeapMb?: number
  /** Another entry for the threads, for tests. */
  readonly filename?: string
}

/**
 * Threads that digest ranges. A thread that dies fails its task, and so does one that takes too long: it is ended. The
 * owner of the range decides what that means.
 */
export class DigestPool {
  readonly #threads: Piscina
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor({ threadCount, threadHeapMb = 1024, filename }: DigestPoolOptions) {
    this.#free = threadCount
    this.#threads = new Piscina({
      filename: filename ?? fileURLToPath(new URL('./digest-thread.js', import.meta.url)),
      minThreads: threadCount,
      maxThreads: threadCount,
      concurrentTasksPerWorker: 1,
      // One bad event must not take the process with it.
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
    })
  }

  async digest(input: RangeInput, timeoutMs: number): Promise<RangeOutput> {
    // Ranges that wait are bounded by the partitions that this process owns, and are not timed.
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#free -= 1
    const tooLong = new AbortController()
    const timer = setTimeout(() => tooLong.abort(), timeoutMs)
    try {
      const task = taskOf(input)
      const transferList = [task.bytes.buffer]
      return await this.#threads.run(task, { transferList, signal: tooLong.signal })
    } catch (error) {
      if (!tooLong.signal.aborted) throw error
      throw new Error(`a range was not digested within ${timeoutMs} ms`, { cause: error })
    } finally {
      clearTimeout(timer)
      this.#free += 1
      this.#waiting.shift()?.()
    }
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}

function taskOf({ frames, ...input }: RangeInput): DigestTask {
  const bytes = new Uint8Array(frames.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let start = 0
  for (const frame of frames) {
    bytes.set(frame.bytes, start)
    start += frame.bytes.length
  }
  return {
    input,
    bytes,
    frames: frames.map(({ streamSeq, bytes }) => ({ streamSeq, byteLength: bytes.length })),
  }
}
