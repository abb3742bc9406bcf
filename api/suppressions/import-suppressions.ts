/**
 * A suppression list of another service, as CSV: the column `email`, or the first one where the file has no such line of names.
 * A row that is wrong costs only itself. The file goes in by batches, each with its own transaction; reading it again does no harm.
 */
import { CsvError } from 'csv-parse'
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { SuppressionImport } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Postgres } from '../database.ts'
import { csvRecords } from '../files/csv-records.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { viaOf } from './change-suppression.ts'
import { countSuppressed, suppressMany } from './suppression-store.ts'

export const suppressionRowsMax = 50_000
const rowsPerBatchMax = 500
const errorsToldMax = 100
const recordCharactersMax = 10_000

interface ReadRows {
  readonly rows: number
  readonly addresses: Map<string, string>
  readonly mistakes: { row: number; rule: string }[]
  readonly invalid: number
}

export async function importSuppressions(
  pg: Postgres,
  { actor, text, now, dryRun }: { actor: Actor; text: string; now: Date; dryRun: boolean },
): Promise<SuppressionImport> {
  const { organizationId } = actor
  const { rows, addresses, mistakes, invalid } = await readRows(text)
  const all = [...addresses].map(([key, email]) => ({ key, email }))
  let added = 0
  for (let start = 0; start < all.length; start += rowsPerBatchMax) {
    const batch = all.slice(start, start + rowsPerBatchMax)
    if (dryRun) {
      const keys = batch.map(({ key }) => key)
      added += batch.length - (await countSuppressed(pg, { organizationId, keys }))
    } else {
      const change = { organizationId, addresses: batch, via: viaOf(actor), now }
      added += await pg.transaction((client) => suppressMany(client, change))
    }
  }
  const counts = { rows, added, unchanged: rows - invalid - added, invalid }
  if (!dryRun) {
    await addAudit(pg, actor, {
      ...{ action: 'suppression.imported', subjectType: 'organization', subjectId: organizationId },
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
    const parsed = parseEmailAddress(cells[column] ?? '')
    if (parsed.kind === 'address') {
      addresses.set(parsed.key, parsed.email)
      continue
    }
    invalid += 1
    if (mistakes.length < errorsToldMax) mistakes.push({ row: rows, rule: parsed.rule })
  }
  return { rows, addresses, mistakes, invalid }
}

/** Of a line of names; undefined: this line is one of addresses. */
function emailColumn(cells: readonly string[]): number | undefined {
  if (cells.some((cell) => cell.includes('@'))) return undefined
  const named = cells.findIndex((cell) => /^e-?mail(?:[ _-]?address)?$/i.test(cell.trim()))
  return named === -1 ? undefined : named
}

async function* csvRows(text: string): AsyncGenerator<string[]> {
  const records = csvRecords(text, {
    bom: true,
    delimiter: [',', ';', '\t'],
    max_record_size: recordCharactersMax,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  try {
    for await (const row of records) yield row as string[]
  } catch (error) {
    if (error instanceof CsvError) throw invalidField('body', `is not CSV: ${error.message}`)
    throw error
  }
}
