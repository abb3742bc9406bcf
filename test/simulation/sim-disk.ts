/**
 * A machine's disk. A write takes a while and is there as a whole once it is done; of one that was under way when its
 * process died any first part may be there. Nothing else is ever lost, and nothing is there that was not written.
 */
import type { Random } from './random.ts'
import type { SimProcess } from './sim-process.ts'
import type { Timeline } from './timeline.ts'

export class DiskError extends Error {
  readonly code: string

  constructor(code: 'ENOENT' | 'ENOSPC' | 'EEXIST' | 'EIO' | 'ENOTEMPTY', path: string) {
    super(`${code}: ${path}`)
    this.code = code
  }
}

export interface DiskFile {
  bytes: Buffer
  modifiedAtMs: number
}

const latencyMs = [0.1, 1.5] as const

export class SimDisk {
  readonly files = new Map<string, DiskFile>()
  readonly folders = new Set<string>()
  /** Writes fail. */
  isFull = false
  readonly #timeline: Timeline
  readonly #random: Random

  constructor({ timeline, random }: { timeline: Timeline; random: Random }) {
    this.#timeline = timeline
    this.#random = random
  }

  /** Anything but a write: done in one moment, or not at all when the process dies first. */
  act<T>(process: SimProcess, execute: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#timeline.after(this.#latency(), () => {
        if (process.state === 'dead') return
        let answer: () => void
        try {
          const value = execute()
          answer = () => resolve(value)
        } catch (error) {
          answer = () => reject(error)
        }
        process.deliver(answer)
      })
    })
  }

  /** @param place is where in the file the bytes go when the write is carried out. */
  write(
    process: SimProcess,
    path: string,
    parts: readonly Uint8Array[],
    place: 'end' | number,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#timeline.after(this.#latency(), () => {
        const file = this.files.get(path)
        // The kernel reads the bytes when it writes them, not when it is asked to.
        const bytes = Buffer.concat(parts)
        const isTorn = process.state === 'dead' || this.isFull
        const length = isTorn ? this.#random.below(bytes.length + 1) : bytes.length
        if (file !== undefined) {
          const at = place === 'end' ? file.bytes.length : place
          const end = Math.max(file.bytes.length, at + length)
          const grown = Buffer.alloc(end)
          file.bytes.copy(grown)
          bytes.copy(grown, at, 0, length)
          file.bytes = grown
          file.modifiedAtMs = this.#timeline.nowMs
        }
        if (isTorn) this.#timeline.note(`disk: ${length} of ${bytes.length} bytes to ${path}`)
        process.deliver(() => {
          if (file === undefined) reject(new DiskError('ENOENT', path))
          else if (isTorn) reject(new DiskError('ENOSPC', path))
          else resolve()
        })
      })
    })
  }

  /** Files below the folder, by full path. */
  filesBelow(folder: string): string[] {
    return [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`)).sort()
  }

  #latency(): number {
    return this.#random.spread(...latencyMs)
  }
}
