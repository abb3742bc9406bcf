/** `contact import`: imports a file of this machine while the caller waits. */
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import {
  ImportFormat,
  type ImportProblem,
  ImportStatus,
} from '#schemas/rest/email/contact-import.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { jsonAsCsv, jsonBytesMax } from '../../../contacts/imports/file/json-as-csv.ts'
import { headBytesMax } from '../../../contacts/imports/file/read-head.ts'
import { importLocalFile } from '../../../contacts/imports/import-local-file.ts'
import type { ImportedFile, PlannedImport } from '../../../contacts/imports/plan-import.ts'
import { check } from '../../check.ts'
import type { Run } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'

const problemsShownMax = 20

export async function importContacts({ session, flags, say, organization }: Run) {
  const path = String(flags.file)
  const newsletter = String(flags.newsletter)
  const dryRun = flags.dryRun === true
  const options = {
    newsletter,
    dryRun,
    mapping: flags.mapping,
    ignore: namesOf(flags.ignoreColumn),
    format: check(ImportFormat.optional(), '--format', flags.format),
    status: check(ImportStatus.optional(), '--status', flags.status),
    updateExisting: flags.updateExisting === true,
    fileName: basename(path),
    source: undefined,
  }
  const actor = commandLineActor(await organization())
  const file = await openFile(path)
  const report = await importLocalFile(session, actor, {
    file,
    options,
    onPlanned: (planned) => sayPlan(say, planned),
    onProgress: ({ rows, bytes }) => {
      const percent = Math.min(100, Math.floor((100 * bytes) / file.bytes))
      say(`\r${percent} % · ${rows} rows`.padEnd(40))
    },
  })
  say('\n')
  const { plan, counts, problems, warnings, broken } = report
  if (broken !== undefined) {
    const done = dryRun ? 'checked' : 'imported'
    throw new UsageError(`${broken}. The ${counts.rows} rows before it were ${done}.`)
  }
  const shown = (list: readonly ImportProblem[]) => (flags.json === true ? list : sentencesOf(list))
  return {
    newsletter,
    dry_run: dryRun,
    format: plan.format,
    encoding: plan.encoding,
    ...counts,
    ignored_columns: plan.ignoredColumns,
    problems: shown(problems),
    warnings: shown(warnings),
  }
}

function sayPlan(say: Run['say'], { plan, notes }: PlannedImport): void {
  if (plan.format !== 'generic') say(`Recognized as an export of ${plan.format}.\n`)
  if (plan.encoding !== 'utf-8') say(`Converted from ${plan.encoding}.\n`)
  for (const note of notes) say(`${note}\n`)
  if (plan.ignoredColumns.length > 0) {
    say(`Columns that are not imported: ${plan.ignoredColumns.join(', ')}.\n`)
  }
}

function sentencesOf(problems: readonly ImportProblem[]): string[] {
  return problems
    .slice(0, problemsShownMax)
    .map(({ line, field, rule }) => `line ${line}, ${field}: ${rule}`)
}

function namesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

async function openFile(path: string): Promise<ImportedFile & { readonly bytes: number }> {
  const { start, bytes } = await readStart(path)
  if (extname(path).toLowerCase() !== '.json') {
    return { open: () => createReadStream(path), start, bytes }
  }
  if (jsonBytesMax < bytes) {
    throw new UsageError(`A JSON file must have at most ${jsonBytesMax} bytes. Write it as CSV.`)
  }
  const csv = await jsonAsCsv(await readFile(path))
  return { open: () => [csv], start: csv.subarray(0, headBytesMax), bytes: csv.length }
}

async function readStart(path: string): Promise<{ start: Uint8Array; bytes: number }> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytesMax), 0, headBytesMax, 0)
      return {
        start: buffer.subarray(0, bytesRead),
        bytes: Math.max(1, (await file.stat()).size),
      }
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
}
