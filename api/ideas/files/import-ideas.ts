/**
 * Imports ideas from a file. The file is stored in several transactions (load-ideas.ts), so the
 * audit entry has one of its own, after the last. A dry run stores nothing and has no audit entry.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { ImportReport } from '#schemas/rest/portal/idea-file.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { FileFormat } from '../../files/table-file.ts'
import { loadIdeas } from './load-ideas.ts'
import { parseStatusMap } from './status-names.ts'

export interface ImportIdeas {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly text: string
  readonly format: FileFormat
  readonly dryRun: boolean
  readonly createTags: boolean
  /** Statuses for names that only this file has: `In QA=Started,Shipped=Completed`. */
  readonly statusMap: string
}

export async function importIdeas(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { statusMap, ...file }: ImportIdeas,
): Promise<ImportReport> {
  const statuses = parseStatusMap(statusMap)
  if (statuses === undefined) throw invalidStatusMap()
  const now = new Date(ctx.clock.nowMs())
  const report = await loadIdeas(ctx.pg, { ...file, statuses, now })
  if (file.dryRun) return report
  const { read, imported, known, skipped, ignored_columns, created_tags } = report
  await addAudit(ctx.pg, actor, {
    action: 'ideas.imported',
    subjectType: 'project',
    subjectId: file.projectId,
    details: { read, imported, known, skipped, ignored_columns, created_tags },
  })
  return report
}

function invalidStatusMap(): CodedError {
  const rule =
    'must be pairs such as In QA=Started,Shipped=Completed: a name, and a status other than Duplicate'
  const message = `The field status_map is not valid: ${rule}.`
  return new CodedError('validation_failed', { message, details: [{ field: 'status_map', rule }] })
}
