/**
 * Imports feedback from a file in one transaction. A dry run stores nothing and has no audit entry.
 */
import type { FeedbackImportReport } from '#schemas/rest/portal/feedback.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { FileFormat } from '../../files/table-file.ts'
import { loadFeedback } from './load-feedback.ts'

export interface ImportFeedback {
  /** A project of the actor's organization. */
  readonly project: { readonly id: string; readonly dsnId: number }
  readonly text: string
  readonly format: FileFormat
  readonly dryRun: boolean
}

export function importFeedback(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  file: ImportFeedback,
): Promise<FeedbackImportReport> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const report = await loadFeedback(pg, { ...file, now })
    if (file.dryRun) return report
    const { rows, added, already_there, refused, ignored_columns } = report
    await addAudit(pg, actor, {
      action: 'feedback.imported',
      subjectType: 'project',
      subjectId: file.project.id,
      details: { rows, added, already_there, refused, ignored_columns },
    })
    return report
  })
}
