/** A signup from the form to the letter, in one transaction: nothing of it stands unless all of it does. */
import { ipKey } from '#platform/http/ip-key.ts'
import { isBlockedBy, parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { NewContact, SignupReply } from '#schemas/rest/email/contact.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { findNewsletter } from '../../newsletters/newsletter-store.ts'
import { type TakenHits, takeHits } from '../../rate-limits/rate-window-store.ts'
import { ensureAddress } from '../address-store.ts'
import { findBlockedAbove } from '../blocked-domains/blocked-domain-store.ts'
import { inboxLink } from './inbox-link.ts'
import { composeWelcome } from './send-welcome.ts'
import { signupWindows } from './signup-windows.ts'
import { type Confirmation, storeSignup } from './store-signup.ts'

export type SignupResult =
  | { readonly kind: 'limited'; readonly hits: TakenHits }
  | {
      readonly kind: 'done'
      readonly hits: TakenHits
      readonly confirmation: Confirmation
      readonly reply: SignupReply
    }

export async function signUp(
  ctx: ApiContext,
  organizationId: string,
  body: NewContact,
): Promise<SignupResult> {
  const parsed = parseEmailAddress(body.email)
  if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
  const { email, key, domain } = parsed
  const ip = body.ip || null
  const visitor = ip === null ? undefined : ipKey(ip)
  if (ip !== null && visitor === undefined) {
    throw invalidField('ip', 'must be an IPv4 or IPv6 address')
  }
  const now = new Date(ctx.clock.nowMs())

  const newsletter = await findNewsletter(ctx.pg, { organizationId, slug: body.newsletter })
  if (newsletter === undefined) throw new CodedError('newsletter_not_found')
  const welcome = newsletter.confirmSignups ? undefined : await composeWelcome(ctx, newsletter)

  return ctx.pg.transaction(async (pg) => {
    const blocked = await findBlockedAbove(pg, { organizationId, domain })
    if (isBlockedBy(domain, blocked)) throw new CodedError('blocked_domain')

    const hits = await takeHits(pg, signupWindows(organizationId, visitor), now)
    if (hits.kind === 'full') return { kind: 'limited', hits }

    const address = await ensureAddress(pg, { organizationId, email, key })
    const { id, plan, confirmation } = await storeSignup(pg, ctx, {
      newsletter,
      address,
      confirms: () => newsletter.confirmSignups,
      resubscribe: body.resubscribe === true,
      name: body.name ?? null,
      attribs: body.attribs ?? {},
      source: body.source ?? null,
      via: 'signup',
      ip,
      now,
      welcome,
    })
    const created = plan.event === 'created'
    const inbox =
      plan.status === 'pending'
        ? inboxLink({ domain, email, sender: newsletter.fromAddress })
        : undefined
    const reply = { id, status: plan.status, created }
    return {
      kind: 'done',
      hits,
      confirmation,
      reply: inbox === undefined ? reply : { ...reply, inbox },
    }
  })
}
