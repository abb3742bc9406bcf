import type { Newsletter, NewsletterChange } from '#schemas/rest/email/newsletter.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import { newsletterView } from './newsletter-view.ts'
import { changeNewsletterRow, findNewsletterRow } from './organization-newsletter-store.ts'
import { requireWelcome } from './require-welcome.ts'

interface NewsletterUpdate {
  /** The id or the slug of the newsletter. */
  readonly named: string
  readonly change: NewsletterChange
}

/** Settings that the change does not name keep their values. */
export async function updateNewsletter(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'allowUnverifiedFrom'>,
  actor: Actor,
  { named, change }: NewsletterUpdate,
): Promise<Newsletter> {
  const { organizationId } = actor
  const { from_address: address } = change
  if (address !== undefined) {
    await requireFromAddress(ctx, { organizationId, address }, 'from_address')
  }
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const { id } = found(await findNewsletterRow(pg, { organizationId, named }))
    const newsletter = { organizationId, id }
    const changed = found(await changeNewsletterRow(pg, newsletter, { ...change, now }))
    requireWelcome(changed)
    await addAudit(pg, actor, {
      action: 'newsletter.changed',
      subjectType: 'newsletter',
      subjectId: id,
      details: { slug: changed.slug, fields: Object.keys(change) },
    })
    return newsletterView(changed)
  })
}
