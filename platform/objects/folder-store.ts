/** Files in a folder, which may be a mounted network disk. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import type { ObjectEntry, ObjectStore } from './object-store.ts'
import { StorageError } from './storage-error.ts'

const temporaryFolder = 'incomplete'
/** No `put` takes that long, so an older temporary file belongs to a process that has ended. */
const temporaryMsMax = 3_600_000

export class FolderStore implements ObjectStore {
  readonly name: string

  constructor(path: string) {
    this.name = resolve(path)
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.name, key)
    const temporary = join(this.name, temporaryFolder, randomUUID())
    try {
      for (const folder of [dirname(temporary), dirname(path)]) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
      }
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw this.#explain(error, `${key} could not be written`)
    }
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.name, key))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw this.#explain(error, `${key} could not be read`)
    }
  }

  async *list(prefix: string): AsyncIterable<ObjectEntry> {
    for (const entry of await this.#entries(prefix)) {
      const key = `${prefix}${entry.name}`
      if (entry.isDirectory()) yield* this.list(`${key}/`)
      else if (entry.isFile()) yield { key, bytes: (await stat(join(this.name, key))).size }
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await rm(join(this.name, key), { force: true })
    } catch (error) {
      throw this.#explain(error, `${key} could not be removed`)
    }
  }

  async sweep(): Promise<void> {
    const folder = join(this.name, temporaryFolder)
    for (const entry of await this.#entries(`${temporaryFolder}/`)) {
      const path = join(folder, entry.name)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined || systemClock.nowMs() - found.mtimeMs < temporaryMsMax) continue
      await rm(path, { force: true })
    }
  }

  async #entries(prefix: string) {
    try {
      return await readdir(join(this.name, prefix), { withFileTypes: true })
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw this.#explain(error, 'The folder could not be listed')
    }
  }

  #explain(error: unknown, what: string): Error {
    const reason = reasons[codeOf(error) ?? ''] ?? (error as Error).message
    return new StorageError(`${this.name}: ${what}: ${reason}.`, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free space or choose another place',
  EDQUOT: 'the disk quota is used up; free space or choose another place',
  EACCES: 'the permissions do not allow it',
  EPERM: 'the permissions do not allow it',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a file has the name of the folder',
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** Makes a rename durable. Some file systems cannot sync a folder; they need no sync. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes(codeOf(error) ?? '')) throw error
  } finally {
    await folder.close()
  }
}
