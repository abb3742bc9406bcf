/**
 * Signs up a contact: parse, check, plan, store, reply. All rows and emails are one transaction.
 */
import { ipKey } from '#platform/http/ip-key.ts'
import type { NewContact, SignupReply } from '#schemas/rest/email/contact.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { requireNewsletter } from '../../newsletters/require-newsletter.ts'
import { type TakenHits, takeHits } from '../../rate-limits/rate-window-store.ts'
import { ensureAddress } from '../address-store.ts'
import { refuseBlockedDomain } from '../blocked-domains/refuse-blocked-domain.ts'
import { parseAddress } from '../parse-address.ts'
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
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'box' | 'composer' | 'log'>,
  organizationId: string,
  body: NewContact,
): Promise<SignupResult> {
  const { email, key, domain } = parseAddress(body.email)
  const { ip, visitor } = parseVisitor(body)
  const now = new Date(ctx.clock.nowMs())
  const newsletter = await requireNewsletter(ctx, { organizationId, slug: body.newsletter })
  const { confirmSignups, fromAddress: sender } = newsletter
  const welcome = confirmSignups ? undefined : await composeWelcome(ctx, newsletter)

  return ctx.pg.transaction(async (pg) => {
    await refuseBlockedDomain(pg, { organizationId, domain })
    const hits = await takeHits(pg, signupWindows(organizationId, visitor), now)
    if (hits.kind === 'full') return { kind: 'limited', hits }

    const address = await ensureAddress(pg, { organizationId, email, key })
    const { id, plan, confirmation } = await storeSignup(pg, ctx, {
      newsletter,
      address,
      confirms: () => confirmSignups,
      resubscribe: body.resubscribe === true,
      name: body.name ?? null,
      attribs: body.attribs ?? {},
      source: body.source ?? null,
      via: 'signup',
      ip,
      now,
      welcome,
    })
    const inbox = plan.status === 'pending' ? inboxLink({ domain, email, sender }) : undefined
    const reply = { id, status: plan.status, created: plan.event === 'created' }
    return {
      kind: 'done',
      hits,
      confirmation,
      reply: inbox === undefined ? reply : { ...reply, inbox },
    }
  })
}

/** `visitor` is the key of the rate limit; undefined when the request names no IP address. */
function parseVisitor(body: NewContact): { ip: string | null; visitor: string | undefined } {
  if (!body.ip) return { ip: null, visitor: undefined }
  const visitor = ipKey(body.ip)
  if (visitor === undefined) throw invalidField('ip', 'must be an IPv4 or IPv6 address')
  return { ip: body.ip, visitor }
}
