/**
 * Exports the suppression list as CSV, one page of rows at a time, so that memory use does not grow
 * with it. Erased addresses are left out: only their hash is stored.
 */
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { SuppressionCause } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { csvLine } from '../files/table-file.ts'
import { listSuppressions } from './suppression-store.ts'

const rowsPerPage = 1_000

export interface SuppressionSelection {
  readonly cause: SuppressionCause | undefined
  readonly source: string | undefined
  readonly query: string | undefined
}

/** Writes the audit entry before the first row leaves, and returns the lines of the file. */
export async function exportSuppressions(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  selection: SuppressionSelection,
): Promise<AsyncGenerator<string>> {
  const { organizationId } = actor
  const { cause = null, source = null } = selection
  await addAudit(ctx.pg, actor, {
    action: 'suppression.exported',
    subjectType: 'organization',
    subjectId: organizationId,
    details: { cause, source },
  })
  return suppressionsAsCsv(ctx.pg, { organizationId, ...selection })
}

async function* suppressionsAsCsv(
  pg: Database,
  selection: SuppressionSelection & { readonly organizationId: string },
): AsyncGenerator<string> {
  yield 'email,cause,source,suppressedAt\r\n'
  let before: readonly [string, string] | undefined
  while (true) {
    const rows = await listSuppressions(pg, { ...selection, before, rowsMax: rowsPerPage })
    const lines = rows.flatMap(({ email, cause, source, suppressedAt }) =>
      email === null ? [] : [csvLine([email, cause, source, suppressedAt.toISOString()])],
    )
    if (lines.length > 0) yield lines.join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage) return
    before = [last.suppressedText, last.id]
  }
}
