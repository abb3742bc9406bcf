import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { deleteAttachmentRow, findAttachment } from './attachment-store.ts'
import type { ReadAttachment } from './read-attachment.ts'

/** The file can no longer be read; workers remove its bytes when no other event has them. */
export async function deleteAttachment(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { project, ...input }: ReadAttachment & { readonly project: StoredProject },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    const row = found(await findAttachment(client, input, input.id))
    if (!(await deleteAttachmentRow(client, input, input.id))) return
    await addAudit(client, actor, {
      action: 'attachment.deleted',
      subjectType: 'project',
      subjectId: project.id,
      details: { event_id: input.eventId, name: row.name, size: row.size },
    })
  })
}
