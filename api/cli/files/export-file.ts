/**
 * Writes the file of an export command. An existing file is overwritten with `--force` only,
 * because it may be the only copy. The content is written under a temporary name first, so that an
 * interrupted export leaves neither a partial file nor a damaged old one.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../usage-error.ts'

/** The flag of all commands that write a file. */
export const forceFlag = { '--force': 'write over a file that is there' } as const

export interface ExportFile {
  readonly path: string
  readonly force: boolean | undefined
}

/** Call before the export, so that a refused file leaves no audit entry of an export. */
export async function checkExportFile({ path, force }: ExportFile): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there === undefined) return
  const target = await stat(path).catch(() => there)
  // Devices and sockets would be replaced by a file, so they are refused.
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
  // A symbolic link stays, and its target is overwritten.
  const path = force === true ? await realpath(file.path).catch(() => file.path) : file.path
  const partial = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    // Opened before anything is read, because a stream that fails while its file is being opened
    // would leave the file behind.
    const opened = await open(partial, 'wx', 0o600)
    await pipeline(Readable.from(pieces, { objectMode: true }), opened.createWriteStream())
    if (force === true) await rename(partial, path)
    // Unlike a rename, a link fails if the file was created in the meantime.
    else await linkOrCopy(partial, path)
    return { file: file.path, bytes: (await stat(path)).size }
  } catch (cause) {
    if (!isFileError(cause)) throw cause
    if (cause.code === 'EEXIST') throw isThere(file.path)
    throw new UsageError(`The file ${file.path} cannot be written: ${cause.code}.`, { cause })
  } finally {
    // An export that has begun ends, also when the file was not opened.
    if (pieces instanceof Readable) pieces.destroy()
    await rm(partial, { force: true })
  }
}

async function linkOrCopy(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // The file system has no hard links.
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
