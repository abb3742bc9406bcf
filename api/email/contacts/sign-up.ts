/** A signup from the form to the letter, in one transaction: nothing of it stands unless all of it does. */
import { ipKey } from '#platform/ip-key.ts'
import { isBlockedBy, parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { NewContact, SignupReply } from '#schemas/rest/contact.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/invalid-field.ts'
import { ensureAddress, type StoredAddress } from '../../io/address-store.ts'
import { findBlockedAbove } from '../../io/blocked-domain-store.ts'
import {
  addContact,
  addContactEvent,
  changeContact,
  findContactOf,
} from '../../io/contact-store.ts'
import type { Database } from '../../io/database.ts'
import { findNewsletter, type StoredNewsletter } from '../../io/newsletter-store.ts'
import { type TakenHits, takeHits } from '../../io/rate-window-store.ts'
import { askToConfirm } from './ask-to-confirm.ts'
import { inboxLink } from './inbox-link.ts'
import { mergeAttribs, planSignup, type SignupPlan } from './plan-signup.ts'
import { sendWelcome } from './send-welcome.ts'
import { signupWindows } from './signup-windows.ts'

export type SignupResult =
  | { readonly kind: 'limited'; readonly hits: TakenHits }
  | { readonly kind: 'done'; readonly hits: TakenHits; readonly reply: SignupReply }

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

  return ctx.pg.transaction(async (pg) => {
    const newsletter = await findNewsletter(pg, { organizationId, slug: body.newsletter })
    if (newsletter === undefined) throw new CodedError('newsletter_not_found')
    const blocked = await findBlockedAbove(pg, { organizationId, domain })
    if (isBlockedBy(domain, blocked)) throw new CodedError('blocked_domain')

    const hits = await takeHits(pg, signupWindows(organizationId, visitor), now)
    if (hits.kind === 'full') return { kind: 'limited', hits }

    const address = await ensureAddress(pg, { organizationId, email, key })
    const signup = { newsletter, address, body, ip, now }
    const { id, plan } = await storeSignup(pg, signup)
    const reader = { id: address.id, email: address.email ?? email }
    if (plan.letter === 'confirmation') {
      await askToConfirm(pg, ctx, { contactId: id, newsletter, address: reader, now })
    }
    if (plan.letter === 'welcome')
      await sendWelcome(pg, ctx, { contactId: id, newsletter, address: reader })

    const created = plan.event === 'created'
    const inbox =
      plan.status === 'pending'
        ? inboxLink({ domain, email, sender: newsletter.fromAddress })
        : undefined
    const reply = { id, status: plan.status, created }
    return { kind: 'done', hits, reply: inbox === undefined ? reply : { ...reply, inbox } }
  })
}

async function storeSignup(
  pg: Database,
  signup: {
    newsletter: StoredNewsletter
    address: StoredAddress
    body: NewContact
    ip: string | null
    now: Date
  },
): Promise<{ id: string; plan: SignupPlan }> {
  const { newsletter, address, body, ip, now } = signup
  const before = await findContactOf(pg, { newsletterId: newsletter.id, addressId: address.id })
  const plan = planSignup({
    before: before?.status,
    confirms: newsletter.confirmSignups,
    resubscribe: body.resubscribe === true,
    suppression: address.suppressionCause,
  })
  const { status, statusBefore } = plan
  const attribs = mergeAttribs(before?.attribs ?? {}, body.attribs ?? {})
  const name = body.name ?? before?.name ?? null
  const source = body.source ?? null
  const id =
    before?.id ??
    (await addContact(pg, {
      organizationId: newsletter.organizationId,
      newsletterId: newsletter.id,
      addressId: address.id,
      ...{ status, statusBefore, name, attribs, source, ip, now },
    }))
  if (before !== undefined) await changeContact(pg, { id, status, name, attribs, now })
  const event = { kind: plan.event, via: 'signup', source, ip, details: { status } } as const
  await addContactEvent(pg, { contactId: id, ...event, now })
  return { id, plan }
}
