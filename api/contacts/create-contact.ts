import type { ContactItem, NewContactByAdmin } from '#schemas/rest/email/contact-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import { ensureAddress } from './address-store.ts'
import { refuseBlockedDomain } from './blocked-domains/refuse-blocked-domain.ts'
import { type ChangedBy, changeOrigin } from './change-origin.ts'
import { readContact } from './contact-view.ts'
import { parseAddress } from './parse-address.ts'
import { composeWelcome } from './signup/send-welcome.ts'
import { storeSignup } from './signup/store-signup.ts'

/**
 * Adds a contact to a newsletter without the rate limits of signups. A contact that exists is
 * changed as by another signup.
 */
export async function createContact(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'box' | 'composer' | 'log'>,
  actor: Actor,
  input: NewContactByAdmin & { readonly by: ChangedBy },
): Promise<{ created: boolean; contact: ContactItem }> {
  const { organizationId } = actor
  const { domain, email, key } = parseAddress(input.email)
  const newsletter = await requireNewsletter(ctx, { organizationId, slug: input.newsletter })
  await refuseBlockedDomain(ctx.pg, { organizationId, domain })
  const welcome = await composeWelcome(ctx, newsletter)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const address = await ensureAddress(client, { organizationId, email, key })
    const { id, plan } = await storeSignup(client, ctx, {
      newsletter,
      address,
      welcome,
      confirms: () => newsletter.confirmSignups && input.confirmed !== true,
      resubscribe: false,
      name: input.name ?? null,
      attribs: input.attribs ?? {},
      source: input.source ?? input.by.name,
      via: changeOrigin(actor),
      ip: input.by.ip,
      now,
    })
    const created = plan.event === 'created'
    await addAudit(client, actor, {
      action: 'contact.added',
      subjectType: 'contact',
      subjectId: id,
      details: { newsletter: newsletter.slug, created },
    })
    return { created, contact: await readContact(client, { organizationId, id }) }
  })
}
