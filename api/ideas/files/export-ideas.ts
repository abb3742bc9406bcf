/** Exports all ideas of a portal. The audit entry is written before the first byte is read. */
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import type { FileFormat } from '../../files/table-file.ts'
import { writeIdeaFile } from './write-idea-file.ts'

export interface ExportIdeas {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly format: FileFormat
}

export async function exportIdeas(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, format }: ExportIdeas,
): Promise<AsyncGenerator<string>> {
  await addAudit(ctx.pg, actor, {
    action: 'ideas.exported',
    subjectType: 'project',
    subjectId: projectId,
  })
  return writeIdeaFile(ctx.pg, { projectId, format })
}
