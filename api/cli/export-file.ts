/**
 * The file of an export command. A file that is there is never written over unless `--force` is given: it may be the only copy of
 * something. What is written stands under its name only when it is whole, so an export that breaks off leaves neither half a file
 * nor the old one damaged.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './usage-error.ts'

/** Of every command that writes a file. */
export const forceFlag = { '--force': 'write over a file that is there' } as const

export interface ExportFile {
  readonly path: string
  readonly force: boolean | undefined
}

/** Call before anything else is done, so that a refusal leaves no trace, and no audit entry of an export that never was. */
export async function checkExportFile({ path, force }: ExportFile): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there === undefined) return
  const target = await stat(path).catch(() => there)
  // Never over a device or a socket, which would be replaced by a file.
  if (!target.isFile() && !there.isSymbolicLink()) {
    throw new UsageError(`${path} is not a file: name a file.`)
  }
  if (force !== true) throw isThere(path)
  if (!target.isFile()) throw new UsageError(`${path} leads to no file: name a file.`)
}

export async function writeExportFile(
  file: ExportFile,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<{ file: string; bytes: number }> {
  await checkExportFile(file)
  const { force } = file
  // Through a link its file is written over, and the link stays.
  const path = force === true ? await realpath(file.path).catch(() => file.path) : file.path
  const partial = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    // Opened before anything is read: a stream that fails while its file is being opened leaves it behind.
    const opened = await open(partial, 'wx', 0o600)
    await pipeline(Readable.from(pieces, { objectMode: true }), opened.createWriteStream())
    if (force === true) await rename(partial, path)
    // Unlike a rename, a link fails where somebody has made the file meanwhile.
    else await linkOrCopy(partial, path)
    return { file: file.path, bytes: (await stat(path)).size }
  } catch (cause) {
    if (!isFileError(cause)) throw cause
    if (cause.code === 'EEXIST') throw isThere(file.path)
    throw new UsageError(`The file ${file.path} cannot be written: ${cause.code}.`, { cause })
  } finally {
    await rm(partial, { force: true })
  }
}

async function linkOrCopy(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // A file system without hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(code)) throw error
    await copyFile(partial, path, constants.COPYFILE_EXCL)
  }
}

function isThere(path: string): UsageError {
  return new UsageError(`The file ${path} is there already: name another one, or add --force.`)
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
