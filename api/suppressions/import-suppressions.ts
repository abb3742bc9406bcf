/**
 * Imports the suppression list of another service, as CSV: the column `email`, or the first column
 * when the file has no header. An invalid row is counted and skipped. The addresses are suppressed
 * in batches, one transaction each; importing the file again changes nothing.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { SuppressionImport } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { changeOrigin } from '../contacts/change-origin.ts'
import type { ApiContext } from '../context.ts'
import { csvDelimiters, csvErrorText } from '../files/csv-parser.ts'
import { csvRecords } from '../files/csv-records.ts'
import { unguarded } from '../files/table-file.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { countSuppressed, suppressMany } from './suppression-store.ts'

export const suppressionRowsMax = 50_000
const addressesPerBatchMax = 500
const invalidReportedMax = 100
const recordCharactersMax = 10_000

interface ReadRows {
  readonly rows: number
  /** Spelling by key. */
  readonly addresses: ReadonlyMap<string, string>
  /** The first invalid rows. */
  readonly mistakes: { row: number; rule: string }[]
  readonly invalid: number
}

export async function importSuppressions(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { text, dryRun }: { readonly text: string; readonly dryRun: boolean },
): Promise<SuppressionImport> {
  const { organizationId } = actor
  const { rows, addresses, mistakes, invalid } = await readRows(text)
  const all = [...addresses].map(([key, email]) => ({ key, email }))
  const now = new Date(ctx.clock.nowMs())
  let added = 0
  for (let start = 0; start < all.length; start += addressesPerBatchMax) {
    const batch = all.slice(start, start + addressesPerBatchMax)
    if (dryRun) {
      const keys = batch.map(({ key }) => key)
      added += batch.length - (await countSuppressed(ctx.pg, { organizationId, keys }))
    } else {
      const change = { organizationId, addresses: batch, via: changeOrigin(actor), now }
      added += await ctx.pg.transaction((client) => suppressMany(client, change))
    }
  }
  const counts = { rows, added, unchanged: rows - invalid - added, invalid }
  if (!dryRun) {
    await addAudit(ctx.pg, actor, {
      action: 'suppression.imported',
      subjectType: 'organization',
      subjectId: organizationId,
      details: counts,
    })
  }
  return { ...counts, mistakes, dryRun }
}

async function readRows(text: string): Promise<ReadRows> {
  const addresses = new Map<string, string>()
  const mistakes: { row: number; rule: string }[] = []
  let rows = 0
  let invalid = 0
  let column = 0
  let isFirst = true
  for await (const cells of csvRows(text)) {
    const named = isFirst ? emailColumn(cells) : undefined
    isFirst = false
    if (named !== undefined) {
      column = named
      continue
    }
    rows += 1
    if (rows > suppressionRowsMax) {
      throw invalidField('body', `must have at most ${suppressionRowsMax} rows`)
    }
    const parsed = parseEmailAddress(unguarded(cells[column] ?? ''))
    if (parsed.kind === 'address') {
      addresses.set(parsed.key, parsed.email)
      continue
    }
    invalid += 1
    if (mistakes.length < invalidReportedMax) mistakes.push({ row: rows, rule: parsed.rule })
  }
  return { rows, addresses, mistakes, invalid }
}

/** Index of the column `email` in a header; undefined when the record is not a header. */
function emailColumn(cells: readonly string[]): number | undefined {
  if (cells.some((cell) => cell.includes('@'))) return undefined
  const named = cells.findIndex((cell) => /^e-?mail(?:[ _-]?address)?$/i.test(cell.trim()))
  return named === -1 ? undefined : named
}

async function* csvRows(file: string): AsyncGenerator<string[]> {
  const records = csvRecords(file, {
    delimiter: csvDelimiters,
    recordCharactersMax,
  })
  try {
    for await (const row of records) yield row as string[]
  } catch (error) {
    const text = csvErrorText(error)
    throw text === undefined ? error : invalidField('body', `must be CSV: ${text}`)
  }
}
