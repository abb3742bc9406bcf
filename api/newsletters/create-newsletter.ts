import type { Newsletter, NewsletterBody } from '#schemas/rest/email/newsletter.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import { newsletterView } from './newsletter-view.ts'
import { addNewsletterRow } from './organization-newsletter-store.ts'
import { requireWelcome } from './require-welcome.ts'

/** Throws `conflict` when the organization has a newsletter with this slug. */
export async function createNewsletter(
  ctx: Pick<ApiContext, 'pg' | 'allowUnverifiedFrom'>,
  actor: Actor,
  body: NewsletterBody,
): Promise<Newsletter> {
  const { organizationId } = actor
  const from = { organizationId, address: body.from_address }
  await requireFromAddress(ctx, from, 'from_address')
  return ctx.pg.transaction(async (pg) => {
    const created = await addNewsletterRow(pg, organizationId, body)
    requireWelcome(created)
    await addAudit(pg, actor, {
      action: 'newsletter.created',
      subjectType: 'newsletter',
      subjectId: created.id,
      details: { slug: created.slug, name: created.name },
    })
    return newsletterView(created)
  })
}
