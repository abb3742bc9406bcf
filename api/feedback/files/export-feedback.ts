/** Exports all feedback of a project. The audit entry is written before the first byte is read. */
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { FileFormat } from '../../files/table-file.ts'
import { writeFeedbackFile } from './write-feedback-file.ts'

export interface ExportFeedback {
  /** A project of the actor's organization. */
  readonly project: { readonly id: string; readonly dsnId: number }
  readonly format: FileFormat
}

export async function exportFeedback(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { project, format }: ExportFeedback,
): Promise<AsyncGenerator<string>> {
  await addAudit(ctx.pg, actor, {
    action: 'feedback.exported',
    subjectType: 'project',
    subjectId: project.id,
  })
  return writeFeedbackFile(ctx.pg, project.dsnId, format)
}
