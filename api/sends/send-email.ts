/**
 * POST /send: one letter, durable before the answer. What costs time (Markdown, inlining) is done before the transaction; inside it
 * stand the limit, the suppression and the row, so that a refused letter has cost nothing.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type FilledEmail, fillEmail } from '#schemas/mail/compiled-email.ts'
import type { NewSendRequest, SendAccepted } from '#schemas/rest/email/send.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { doOnce, type RepeatableCall } from '../http/idempotency.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { findNewsletter, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { type TakenHits, takeHits } from '../rate-limits/rate-window-store.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import { checkPlaceholders } from './check-placeholders.ts'
import { addSend } from './send-store.ts'
import { sendWindow } from './send-window.ts'

/** Tells the caller how the limit stands, whatever the answer will be. */
type OnHits = (hits: TakenHits, charged: boolean) => void

export async function sendEmail(
  ctx: ApiContext,
  call: RepeatableCall,
  { body, onHits }: { body: NewSendRequest; onHits: OnHits },
): Promise<SendAccepted> {
  const { organizationId } = call.caller
  const to = parseEmailAddress(body.to)
  if (to.kind === 'invalid') throw invalidField('to', to.rule)
  checkPlaceholders(body)
  const newsletter = await findNewsletter(ctx.pg, { organizationId, slug: body.newsletter })
  if (newsletter === undefined) throw new CodedError('newsletter_not_found')
  await requireFromAddress(ctx, { organizationId, address: newsletter.fromAddress }, 'newsletter')
  const frame = { kind: 'send', locale: newsletter.locale } as const
  const { email } = await ctx.composer.email(organizationId, body, frame)
  const filled = fillEmail(email, { name: body.name, attribs: body.data })

  const { reply } = await doOnce(ctx, call, async (pg): Promise<SendAccepted> => {
    const now = new Date(ctx.clock.nowMs())
    const hits = await takeHits(pg, [sendWindow(organizationId)], now)
    onHits(hits, hits.kind === 'taken')
    if (hits.kind === 'full') {
      throw new CodedError('rate_limited', {
        message: `Too many requests: at most ${hits.window.hitsMax} letters of this organization in an hour.`,
      })
    }
    const address = await ensureAddress(pg, { organizationId, ...to })
    if (address.suppressionCause !== null) {
      onHits(hits, false)
      const rule = `is suppressed: ${address.suppressionCause}`
      throw new CodedError('suppressed', { details: [{ field: 'to', rule }] })
    }
    const name = body.name ?? null
    const { id } = await addTransactional(pg, {
      newsletter,
      addressId: address.id,
      to: { address: to.email, name },
      filled,
    })
    return { id, status: 'queued' }
  })
  return reply
}

function addTransactional(
  pg: Database,
  email: {
    newsletter: StoredNewsletter
    addressId: string
    to: { address: string; name: string | null }
    filled: FilledEmail
  },
): Promise<{ id: string }> {
  const { newsletter, addressId, to, filled } = email
  return addSend(pg, {
    organizationId: newsletter.organizationId,
    newsletterId: newsletter.id,
    addressId,
    kind: 'transactional',
    from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
    replyTo: newsletter.replyTo,
    to,
    ...filled,
  })
}
