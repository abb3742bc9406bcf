import { statfs } from 'node:fs/promises'
import type { ReadStorages } from './storage-metrics.ts'

/** The disk that holds a folder. A folder that does not exist on this machine is left out. */
export function folderStorage(folder: string, path: string): ReadStorages {
  return async () => {
    try {
      const { bavail, blocks, bsize } = await statfs(path)
      return [{ folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize }]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}
