/**
 * The disk of one machine with the write-ahead logs of its ingest processes. A write takes time and
 * is atomic, unless its process dies or the disk fills up during the write: then any prefix of it
 * may be stored. Nothing else is lost or invented.
 */
import type { StoredSegment, WalFolder, WalStore } from '../../../ingest/wal/wal-store.ts'
import type { Random } from '../../fixtures/random.ts'
import type { Timeline } from '../timeline.ts'
import type { SimProcess } from './sim-process.ts'
import type { Traps } from './traps.ts'

interface Folder {
  readonly instanceId: string
  owner: SimProcess
  readonly segments: Map<number, Buffer>
  /**
   * Number of writes in progress. A dead process counts as running until the kernel has finished
   * them.
   */
  writeCount: number
}

const latencyMs = [0.1, 1.5] as const

export class SimDisk {
  /** Whether writes fail. */
  isFull = false
  readonly #folders = new Set<Folder>()
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #traps: Traps

  constructor({ timeline, random, traps }: { timeline: Timeline; random: Random; traps: Traps }) {
    this.#traps = traps
    this.#timeline = timeline
    this.#random = random
  }

  /** Segments that exist. */
  get files(): string[] {
    return [...this.#folders].flatMap(({ instanceId, segments }) =>
      [...segments.keys()].map((no) => `${instanceId}/${no}`),
    )
  }

  get folderCount(): number {
    return this.#folders.size
  }

  /** The disk from the view of one process. */
  storeOf(process: SimProcess): WalStore {
    return {
      create: (instanceId) =>
        this.#act(process, () => {
          if (this.isFull) throw new Error('ENOSPC: no folder can be made')
          const folder: Folder = { instanceId, owner: process, segments: new Map(), writeCount: 0 }
          this.#folders.add(folder)
          return this.#open(process, folder)
        }),
      adopt: () =>
        this.#act(process, () => {
          for (const folder of this.#folders) {
            // mutant: adopt-dead-log
            if (folder.owner.state !== 'dead' || folder.writeCount > 0) continue
            process.note(`adopts the log of ${folder.owner.name}`)
            folder.owner = process
            return this.#open(process, folder)
          }
          return undefined
        }),
    }
  }

  #open(process: SimProcess, folder: Folder): WalFolder {
    const { instanceId, segments } = folder
    return {
      instanceId,
      append: (segmentNo, parts) => this.#append(process, folder, segmentNo, parts),
      segments: () =>
        this.#act(process, () =>
          [...segments]
            .map(([no, bytes]): StoredSegment => ({ no, bytes: bytes.length }))
            .sort((a, b) => a.no - b.no),
        ),
      read: (segmentNo) =>
        this.#act(process, () => {
          const bytes = segments.get(segmentNo)
          if (bytes === undefined) throw new Error(`ENOENT: segment ${segmentNo}`)
          return Buffer.from(bytes)
        }),
      removeSegment: (segmentNo) =>
        this.#act(process, () => {
          process.note(`removes segment ${segmentNo} of ${instanceId.slice(0, 6)}`)
          segments.delete(segmentNo)
        }),
      check: () =>
        this.#act(process, () => {
          if (this.isFull) throw new Error('ENOSPC: the disk is full')
        }),
      beat: () => this.#act(process, () => undefined),
      remove: () =>
        this.#act(process, () => {
          process.note(`removes the log of ${instanceId.slice(0, 6)}`)
          this.#folders.delete(folder)
        }),
      close: () => this.#act(process, () => undefined),
    }
  }

  #append(
    process: SimProcess,
    folder: Folder,
    segmentNo: number,
    parts: readonly Uint8Array[],
  ): Promise<void> {
    const { instanceId, segments } = folder
    folder.writeCount += 1
    this.#traps.onTheWay(process, 'log write')
    return new Promise((resolve, reject) => {
      this.#timeline.after(this.#latency(), () => {
        folder.writeCount -= 1
        // The kernel reads the buffers during the write, not when the write is requested.
        const bytes = Buffer.concat(parts)
        const isCut = process.state === 'dead' || this.isFull
        const length = isCut ? this.#random.below(bytes.length + 1) : bytes.length
        const before = segments.get(segmentNo) ?? Buffer.alloc(0)
        segments.set(segmentNo, Buffer.concat([before, bytes.subarray(0, length)]))
        const name = `${instanceId.slice(0, 6)}/${segmentNo}`
        this.#timeline.note(`disk: ${length} of ${bytes.length} bytes to ${name}`)
        this.#traps.done(process, 'log write')
        process.deliver(() => {
          if (isCut) reject(new Error('ENOSPC: the disk is full'))
          else resolve()
        })
      })
    })
  }

  /** Runs atomically, or not at all if the process dies first. */
  #act<T>(process: SimProcess, execute: () => T): Promise<T> {
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

  #latency(): number {
    return this.#random.spread(...latencyMs)
  }
}
