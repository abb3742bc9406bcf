import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { threadArguments } from '#platform/threads/thread-arguments.ts'
import { DigestStarvedError } from '../partitions/ports.ts'
import type { SharedPlaces } from '../places/place-file.ts'
import type { DigestTask } from './digest-thread.ts'
import type { RangeFrame, RangeInput, RangeOutput } from './range.ts'
import { threadCpuMs } from './thread-cpu.ts'

export interface DigestPoolOptions {
  readonly threadCount: number
  readonly threadHeapMb?: number
  /** The GeoIP file that is in use now. */
  readonly places?: () => SharedPlaces | undefined
  /** Another entry for the threads, for tests. */
  readonly filename?: string
}

/**
 * Of each thread. Nothing of an event outlives it, so the fewer collections fall into one, the less
 * is copied: three times as much as by default takes a fifth off the CPU time of large events.
 */
export const youngGenerationMb = 192

/**
 * Interval of the checks of a task's CPU time. Nearly every range is digested before the first one.
 */
const firstLookMs = 1_000
/**
 * A thread that got too little CPU time for so long is ended and its range retried; no record is at
 * fault.
 */
const starvedMs = 600_000

/**
 * Threads that digest ranges. A task fails when its thread exits or uses more CPU time than
 * allowed; the owner of the range decides what follows. The limit is CPU time and not wall-clock
 * time, because on a busy machine every range takes long.
 */
export class DigestPool {
  readonly #threads: Piscina
  readonly #threadCount: number
  /** The system's thread id of each running task, written by its thread. */
  readonly #threadIds: Int32Array<SharedArrayBuffer>
  readonly #freeSlots: number[]
  readonly #waiting: (() => void)[] = []
  readonly #places: NonNullable<DigestPoolOptions['places']>

  constructor({ threadCount, threadHeapMb = 1024, places, filename }: DigestPoolOptions) {
    this.#threadCount = threadCount
    this.#places = places ?? (() => undefined)
    this.#threadIds = new Int32Array(new SharedArrayBuffer(threadCount * 4))
    this.#freeSlots = Array.from({ length: threadCount }, (_, slot) => slot)
    this.#threads = new Piscina({
      filename: filename ?? fileURLToPath(new URL('./digest-thread.js', import.meta.url)),
      minThreads: threadCount,
      maxThreads: threadCount,
      concurrentTasksPerWorker: 1,
      execArgv: [...threadArguments],
      // One bad event must not crash the process.
      resourceLimits: {
        maxOldGenerationSizeMb: threadHeapMb,
        maxYoungGenerationSizeMb: Math.min(youngGenerationMb, threadHeapMb),
      },
    })
  }

  async digest(input: RangeInput, cpuMsMax: number): Promise<RangeOutput> {
    // The partitions that this process owns bound the waiting ranges. Waiting does not count as CPU
    // time.
    while (this.#freeSlots.length === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    const slot = this.#freeSlots.pop() ?? 0
    this.#threadIds[slot] = 0
    const end = new AbortController()
    const watch = this.#watch(slot, cpuMsMax, (reason) => end.abort(reason))
    try {
      const place = { threadIds: this.#threadIds, slot }
      const task = { ...taskOf(input), place, places: this.#places() }
      const transferList = [task.packed.buffer]
      return await this.#threads.run(task, { transferList, signal: end.signal })
    } catch (error) {
      throw end.signal.aborted ? end.signal.reason : error
    } finally {
      clearInterval(watch)
      this.#freeSlots.push(slot)
      this.#waiting.shift()?.()
    }
  }

  /** Aborts the task in `slot` when it exceeds its CPU time or gets too little of it. */
  #watch(slot: number, cpuMsMax: number, end: (reason: Error) => void): NodeJS.Timeout {
    let first: CpuTime | undefined
    let waitedMs = 0
    const everyMs = Math.min(firstLookMs, cpuMsMax)
    return setInterval(() => {
      waitedMs += everyMs
      const now = this.#cpuTime(slot)
      // The thread may have been replaced since the last check.
      if (first === undefined || first.of !== now.of) first = now
      else if (now.ms - first.ms >= cpuMsMax * now.threads) {
        end(new Error(`a range was not digested within ${cpuMsMax} ms of CPU time`))
      } else if (waitedMs >= starvedMs) {
        end(new DigestStarvedError(`a range was not digested within ${starvedMs} ms`))
      }
    }, everyMs)
  }

  /**
   * When the system does not report a thread's own time, the time of all threads is its upper
   * bound.
   */
  #cpuTime(slot: number): CpuTime {
    const threadId = Atomics.load(this.#threadIds, slot)
    const ownMs = threadCpuMs(threadId)
    if (ownMs !== undefined) return { of: threadId, ms: ownMs, threads: 1 }
    const { user, system } = process.cpuUsage()
    return { of: 0, ms: (user + system) / 1000, threads: this.#threadCount + 1 }
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}

interface CpuTime {
  /** Thread id, or 0 for the whole process. */
  readonly of: number
  readonly ms: number
  /** Number of threads that share the time. */
  readonly threads: number
}

/** Frames in shared memory go as they are; the others are packed into one buffer. */
function taskOf({ frames, ...input }: RangeInput): Omit<DigestTask, 'place' | 'places'> {
  const isShared = ({ bytes }: RangeFrame) => bytes.buffer instanceof SharedArrayBuffer
  const packedBytes = frames.reduce((sum, f) => sum + (isShared(f) ? 0 : f.bytes.length), 0)
  const packed = new Uint8Array(packedBytes)
  let end = 0
  const packOne = (bytes: Uint8Array) => {
    const start = end
    end += bytes.length
    packed.set(bytes, start)
    return packed.subarray(start, end)
  }
  return {
    input,
    packed,
    frames: frames.map((frame) => ({
      streamSeq: frame.streamSeq,
      bytes: isShared(frame) ? frame.bytes : packOne(frame.bytes),
    })),
  }
}
