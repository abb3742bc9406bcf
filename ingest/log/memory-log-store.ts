/**
 * Logs in memory, for tests: a disk that can be full, that tears what is written when its process dies, and on which
 * processes are alive or dead as the test says.
 */
import type { LogFolder, LogStore, StoredSegment } from './log-store.ts'

interface Folder {
  readonly bootId: string
  owner: string
  readonly files: Map<number, Buffer>
}

export class MemoryLogStore implements LogStore {
  readonly folders: Folder[] = []
  readonly living = new Set<string>()
  isFull = false
  /** Of a write that fails, so many bytes are there all the same. */
  bytesBeforeFull = 0
  /** Writes wait until the test lets them go on. */
  holdsWrites = false
  #held: { readonly go: () => void; readonly tear: (bytes: number) => void }[] = []
  writes = 0

  async create(bootId: string): Promise<LogFolder> {
    this.living.add(bootId)
    const folder = { bootId, owner: bootId, files: new Map<number, Buffer>() }
    this.folders.push(folder)
    return this.#handle(folder, bootId)
  }

  async adopt(byBootId: string): Promise<LogFolder | undefined> {
    const folder = this.folders.find(({ owner }) => !this.living.has(owner))
    if (folder === undefined) return undefined
    folder.owner = byBootId
    return this.#handle(folder, byBootId)
  }

  /** The process is gone; of a write that was held, only so many bytes are there. */
  kill(bootId: string, tornBytes = 0): void {
    this.living.delete(bootId)
    for (const { tear } of this.#held.splice(0)) tear(tornBytes)
  }

  letWritesGo(): void {
    for (const { go } of this.#held.splice(0)) go()
  }

  /** Half a frame, as a torn write leaves it. */
  tear(bootId: string, bytes: Buffer): void {
    const files = this.folders.find((folder) => folder.bootId === bootId)?.files
    const last = Math.max(...(files?.keys() ?? []))
    files?.set(last, Buffer.concat([files.get(last) ?? Buffer.alloc(0), bytes]))
  }

  #handle(folder: Folder, owner: string): LogFolder {
    const { files, bootId } = folder
    const store = this
    return {
      bootId,
      async append(segmentNo, parts) {
        store.writes += 1
        const write = (bytes?: number) => {
          const before = files.get(segmentNo) ?? Buffer.alloc(0)
          files.set(segmentNo, Buffer.concat([before, Buffer.concat(parts).subarray(0, bytes)]))
        }
        if (store.holdsWrites) {
          await new Promise<void>((go) => store.#held.push({ go, tear: write }))
        }
        if (!store.living.has(owner)) return
        if (store.isFull) {
          write(store.bytesBeforeFull)
          throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        }
        write()
      },
      async segments(): Promise<StoredSegment[]> {
        return [...files].map(([no, { length }]) => ({ no, bytes: length }))
      },
      async read(segmentNo) {
        return Buffer.from(files.get(segmentNo) ?? Buffer.alloc(0))
      },
      async removeSegment(segmentNo) {
        files.delete(segmentNo)
      },
      async beat() {},
      async remove() {
        store.folders.splice(store.folders.indexOf(folder), 1)
      },
      async close() {},
    }
  }
}
