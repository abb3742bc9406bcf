import { CodedError } from '#schemas/error-codes.ts'
import type { ImportItem } from '#schemas/rest/email/contact-import.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { cancelStoredImport, findImport } from './contact-import-store.ts'
import { readImport } from './import-view.ts'

/** Stops an import that is waiting or running. Rows that were imported stay. */
export async function cancelImport(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { importId }: { readonly importId: string },
): Promise<ImportItem> {
  const { organizationId } = actor
  const id = requireUuid(importId)
  const { newsletter, rowsDone } = found(await findImport(ctx.pg, { organizationId, id }))
  const now = new Date(ctx.clock.nowMs())
  await ctx.pg.transaction(async (client) => {
    if (!(await cancelStoredImport(client, { organizationId, id, now }))) {
      throw new CodedError('conflict', { message: 'This import has ended already.' })
    }
    await addAudit(client, actor, {
      action: 'contact_import.cancelled',
      subjectType: 'contact_import',
      subjectId: id,
      details: { newsletter, rowsDone },
    })
  })
  return readImport(ctx.pg, { organizationId, id })
}
