/** Stores a planned signup and queues its email. The caller holds the lock on the address. */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import type { Attribs } from '#schemas/rest/email/contact.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import type { StoredNewsletter } from '../../newsletters/newsletter-store.ts'
import type { StoredAddress } from '../address-store.ts'
import {
  addContact,
  addContactEvent,
  type ContactVia,
  changeContact,
  findContactOf,
  type StoredContact,
} from '../contact-store.ts'
import { askToConfirm } from './ask-to-confirm.ts'
import { mergeAttribs, planSignup, type SignupPlan } from './plan-signup.ts'
import { sendWelcome } from './send-welcome.ts'

/**
 * Whether a confirmation email was sent. `too_soon`: the rate limit of these emails was reached.
 */
export type Confirmation = 'sent' | 'too_soon' | 'none'

export interface Signup {
  readonly newsletter: StoredNewsletter
  readonly address: StoredAddress
  /** Whether the contact must confirm, given its state before the signup. */
  readonly confirms: (before: StoredContact | undefined) => boolean
  readonly resubscribe: boolean
  /** Null keeps the stored name. */
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string | null
  readonly via: ContactVia
  readonly ip: string | null
  readonly userAgent?: string | null
  readonly now: Date
  /** Result of `composeWelcome`, for a contact that need not confirm. */
  readonly welcome: CompiledEmail | undefined
}

export async function storeSignup(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  signup: Signup,
): Promise<{ id: string; plan: SignupPlan; confirmation: Confirmation }> {
  const { newsletter, address, via, now } = signup
  // Only the suppression of an erased address may be stored, so the data of the signup is dropped.
  const isErased = address.email === null
  const source = isErased ? null : signup.source
  const ip = isErased ? null : signup.ip
  const before = await findContactOf(pg, { newsletterId: newsletter.id, addressId: address.id })
  const plan = planSignup({
    before: before?.status,
    confirms: signup.confirms(before),
    resubscribe: signup.resubscribe,
    suppression: address.suppressionCause,
  })
  const { status, statusBefore } = plan
  const attribs = isErased ? {} : mergeAttribs(before?.attribs ?? {}, signup.attribs)
  const name = isErased ? null : (signup.name ?? before?.name ?? null)
  const id =
    before?.id ??
    (await addContact(pg, {
      organizationId: newsletter.organizationId,
      newsletterId: newsletter.id,
      addressId: address.id,
      status,
      statusBefore,
      name,
      attribs,
      source,
      ip,
      now,
    }))
  if (before !== undefined) await changeContact(pg, { id, status, name, attribs, now })
  const userAgent = isErased ? null : (signup.userAgent ?? null)
  const event = { kind: plan.event, via, source, ip, userAgent, details: { status } }
  await addContactEvent(pg, { contactId: id, ...event, now })
  const isResubscribing = plan.event === 'resubscribed'
  const planned = { contactId: id, kind: plan.email, isResubscribing }
  return { id, plan, confirmation: await sendEmail(pg, ctx, signup, planned) }
}

async function sendEmail(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  { newsletter, address: { id, email }, now, welcome }: Signup,
  planned: { contactId: string; kind: SignupPlan['email']; isResubscribing: boolean },
): Promise<Confirmation> {
  // An erased address is suppressed, so no email was planned for it.
  if (email === null) return 'none'
  const { contactId, kind, isResubscribing } = planned
  const address = { id, email }
  if (kind === 'confirmation') {
    return askToConfirm(pg, ctx, { contactId, newsletter, address, now, isResubscribing })
  }
  if (kind === 'welcome') {
    await sendWelcome(pg, ctx, { contactId, newsletter, address, email: welcome })
  }
  return 'none'
}
