import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { RangeOutput } from './digest/digest-range.ts'
import type { DigestTask } from './digest-thread.ts'
import type { LogMessage } from './io/partition-log.ts'

export interface DigestSettings {
  readonly partition: number
  readonly generation: number
  readonly retentionDays: number
}

/** Threads that digest ranges. A thread that dies fails its task; the owner of the range tries again. */
export class DigestPool {
  readonly #threads: Piscina

  constructor(threadCount: number) {
    this.#threads = new Piscina({
      filename: fileURLToPath(new URL('./digest-thread.js', import.meta.url)),
      minThreads: threadCount,
      maxThreads: threadCount,
      concurrentTasksPerWorker: 1,
      // Ranges in memory are bounded by the partitions that this process owns.
      maxQueue: 1024,
      // One bad event must not take the process with it.
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
  }

  digest(messages: readonly LogMessage[], settings: DigestSettings): Promise<RangeOutput> {
    const bytes = new Uint8Array(messages.reduce((sum, { bytes }) => sum + bytes.length, 0))
    let start = 0
    for (const message of messages) {
      bytes.set(message.bytes, start)
      start += message.bytes.length
    }
    const task: DigestTask = {
      ...settings,
      bytes,
      frames: messages.map(({ streamSeq, bytes }) => ({ streamSeq, byteLength: bytes.length })),
    }
    return this.#threads.run(task, { transferList: [bytes.buffer] })
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}
