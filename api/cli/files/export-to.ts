/** Exports of the command line: to a file, or to standard output with `--to -`. */
import type { Run } from '../command.ts'
import type { Row } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { checkExportFile, forceFlag, writeExportFile } from './export-file.ts'

export const toFlag = {
  '--to <file>': 'the file to write; - for standard output!',
  ...forceFlag,
} as const

/** @param begin is called when the file can be written. */
export async function exportTo(
  { flags, write }: Run,
  begin: () => Promise<AsyncIterable<string>>,
): Promise<Row | undefined> {
  const { to: path, force } = flags
  if (path === undefined) throw new UsageError('Name a file with --to.')
  if (path !== '-') {
    await checkExportFile({ path, force })
    return writeExportFile({ path, force }, await begin())
  }
  for await (const piece of await begin()) write(piece)
  return undefined
}
