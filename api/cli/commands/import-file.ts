import { readFile, stat } from 'node:fs/promises'
import { MiB } from '#schemas/limits.ts'
import { UsageError } from '../usage-error.ts'

/** Text of a file to import, of at most `bytesMax` bytes. */
export async function readImportFile(path: string, bytesMax: number): Promise<string> {
  try {
    const { size } = await stat(path)
    if (bytesMax < size) {
      throw new UsageError(`The file ${path} is larger than ${bytesMax / MiB} MiB.`)
    }
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
}
