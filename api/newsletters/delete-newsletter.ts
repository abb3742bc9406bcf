import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { deleteUnusedNewsletter, findNewsletterRow } from './organization-newsletter-store.ts'

/** Throws `conflict` for a newsletter with contacts or campaigns. `named`: its id or slug. */
export async function deleteNewsletter(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { named }: { readonly named: string },
): Promise<{ id: string; slug: string }> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (pg) => {
    const { id, slug } = found(await findNewsletterRow(pg, { organizationId, named }))
    if ((await deleteUnusedNewsletter(pg, { organizationId, id })) === 'in_use') {
      throw new CodedError('conflict', {
        message: 'This newsletter has contacts or campaigns, whose records must stay.',
      })
    }
    await addAudit(pg, actor, {
      action: 'newsletter.deleted',
      subjectType: 'newsletter',
      subjectId: id,
      details: { slug },
    })
    return { id, slug }
  })
}
