import { readFile, stat } from 'node:fs/promises'
import { MiB } from '#schemas/limits.ts'
import { decodedText } from '../../files/text-encoding.ts'
import { UsageError } from '../usage-error.ts'

/** Text of a file to import, in any encoding that the API takes, of at most `bytesMax` bytes. */
export async function readImportFile(path: string, bytesMax: number): Promise<string> {
  const bytes = await readBytes(path, bytesMax)
  return decodedText(bytes, 'file')
}

async function readBytes(path: string, bytesMax: number): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (bytesMax < size) {
      throw new UsageError(`The file ${path} is larger than ${bytesMax / MiB} MiB.`)
    }
    return await readFile(path)
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
}
