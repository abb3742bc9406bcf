import { CodedError } from '#schemas/error-codes.ts'
import type { ImportItem } from '#schemas/rest/email/contact-import.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { findImport, startDryRunImport } from './contact-import-store.ts'
import { auditImportStart } from './import-audit.ts'
import { readImport } from './import-view.ts'

/** Runs a finished dry run again and stores its contacts this time. */
export async function startImport(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { importId }: { readonly importId: string },
): Promise<ImportItem> {
  const { organizationId } = actor
  const id = requireUuid(importId)
  const tried = found(await findImport(ctx.pg, { organizationId, id }))
  await ctx.pg.transaction(async (client) => {
    if (!(await startDryRunImport(client, { organizationId, id }))) {
      throw new CodedError('conflict', { message: 'Only a dry run that is done can be started.' })
    }
    await auditImportStart(client, actor, {
      subject: { subjectType: 'contact_import', subjectId: id },
      newsletter: tried.newsletter,
      dryRun: false,
      format: tried.plan.format,
      file: null,
    })
  })
  return readImport(ctx.pg, { organizationId, id })
}
