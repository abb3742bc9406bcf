/** `contact import`: a file of this machine, imported while the person waits. */
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { CodedError } from '#schemas/error-codes.ts'
import {
  ImportFormat,
  ImportMapping,
  type ImportProblem,
  ImportStatus,
} from '#schemas/rest/email/contact-import.ts'
import { addAudit, commandLineActor } from '../../audit/audit-store.ts'
import { jsonAsCsv, jsonBytesMax } from '../../contacts/imports/file/json-as-csv.ts'
import { headBytesMax } from '../../contacts/imports/file/read-head.ts'
import { importFile } from '../../contacts/imports/import-file.ts'
import { planImport } from '../../contacts/imports/plan-import.ts'
import { findNewsletter } from '../../newsletters/newsletter-store.ts'
import { check } from '../check.ts'
import type { Run } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const problemsToldMax = 20

export async function importContacts(run: Run) {
  const { session, flags, say } = run
  const path = String(flags.file)
  const organizationId = await run.organization()
  const newsletter = await namedNewsletter(run, organizationId, String(flags.newsletter))
  const now = new Date(session.clock.nowMs())
  const options = {
    mapping: mappingOf(flags.mapping),
    ignore: namesOf(flags.ignoreColumn),
    format: check(ImportFormat.optional(), '--format', flags.format),
    status: check(ImportStatus.optional(), '--status', flags.status),
    updateExisting: flags.updateExisting === true,
    fileName: basename(path),
    newsletter: newsletter.slug,
    source: undefined,
    now,
  }
  const { file, start, bytes } = await openedFile(path)
  const { plan, notes } = await asUsageError(() => planImport(file, start, options))
  const dryRun = flags.dryRun === true
  if (plan.format !== 'generic') say(`Recognized as an export of ${plan.format}.\n`)
  if (plan.encoding !== 'utf-8') say(`Converted from ${plan.encoding}.\n`)
  for (const note of notes) say(`${note}\n`)
  if (plan.ignoredColumns.length > 0) {
    say(`Columns that are not imported: ${plan.ignoredColumns.join(', ')}.\n`)
  }
  const { problems, warnings, broken, ...counts } = await importFile(session.pg, file(), {
    organizationId,
    newsletterId: newsletter.id,
    dryRun,
    now,
    plan,
    progress: (done) => {
      const percent = Math.min(100, Math.floor((100 * done.bytes) / bytes))
      say(`\r${percent} % · ${done.rows} rows`.padEnd(40))
    },
  })
  say('\n')
  if (!dryRun) {
    await addAudit(session.pg, commandLineActor(organizationId), {
      ...{ action: 'contact_import.started', subjectType: 'newsletter', subjectId: newsletter.id },
      details: { ...counts, file: path.split('/').at(-1) },
    })
  }
  if (broken !== undefined)
    throw new UsageError(`${broken}. The rows before it are done: ${counts.rows}.`)
  const told = (list: readonly ImportProblem[]) =>
    flags.json === true
      ? list
      : list
          .slice(0, problemsToldMax)
          .map(({ line, field, rule }) => `line ${line}, ${field}: ${rule}`)
  return {
    newsletter: newsletter.slug,
    dry_run: dryRun,
    format: plan.format,
    encoding: plan.encoding,
    ...counts,
    ignored_columns: plan.ignoredColumns,
    problems: told(problems),
    warnings: told(warnings),
  }
}

function namesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function mappingOf(text: string | undefined): ImportMapping {
  if (text === undefined) return {}
  try {
    return check(ImportMapping, '--mapping', JSON.parse(text))
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError('--mapping must be JSON.', { cause })
  }
}

interface OpenedFile {
  /** From its beginning, each time. */
  readonly file: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly start: Uint8Array
  readonly bytes: number
}

async function openedFile(path: string): Promise<OpenedFile> {
  let start: Uint8Array
  let bytes: number
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytesMax), 0, headBytesMax, 0)
      start = buffer.subarray(0, bytesRead)
      bytes = Math.max(1, (await file.stat()).size)
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
  if (extname(path).toLowerCase() !== '.json') {
    return { file: () => createReadStream(path), start, bytes }
  }
  if (jsonBytesMax < bytes) {
    throw new UsageError(`A JSON file must have at most ${jsonBytesMax} bytes. Write it as CSV.`)
  }
  const csv = await asUsageError(async () => jsonAsCsv(await readFile(path)))
  return { file: () => [csv], start: csv.subarray(0, headBytesMax), bytes: csv.length }
}

/** The same checks as of the routes; a person at a command line gets the sentence. */
async function asUsageError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof CodedError) throw new UsageError(cause.message, { cause })
    throw cause
  }
}

async function namedNewsletter({ session }: Run, organizationId: string, slug: string) {
  const newsletter = await findNewsletter(session.pg, { organizationId, slug })
  if (newsletter === undefined) throw unknownNewsletter(slug)
  return newsletter
}

export function unknownNewsletter(slug: string): UsageError {
  return new UsageError(`No newsletter is called ${slug}: see \`newsletter list\`.`)
}
