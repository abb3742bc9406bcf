/**
 * POST /send: one email, durable before the answer. Composing takes time and is done before the
 * transaction; the rate limit, the suppression and the row are inside it, so a refused email uses
 * up nothing.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type FilledEmail, fillEmail } from '#schemas/mail/compiled-email.ts'
import type { NewSendRequest, SendAccepted } from '#schemas/rest/email/send.ts'
import { unknownPlaceholders } from '../compose/template.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { doOnce, type RepeatableCall } from '../http/idempotency/idempotency.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { findNewsletter, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import { type RateWindow, type TakenHits, takeHits } from '../rate-limits/rate-window-store.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import { addSend } from './send-store.ts'

/** Called with the state of the rate limit for every answer. `charged`: this request counts. */
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

  const done = await doOnce(ctx, call, async (pg): Promise<SendAccepted> => {
    const hits = await takeSendHit(pg, { organizationId, now: new Date(ctx.clock.nowMs()) }, onHits)
    const address = await ensureAddress(pg, { organizationId, ...to })
    if (address.suppressionCause !== null) {
      onHits(hits, false)
      const rule = `is suppressed: ${address.suppressionCause}`
      throw new CodedError('suppressed', { details: [{ field: 'to', rule }] })
    }
    const recipient = { address: to.email, name: body.name ?? null }
    const send = { newsletter, addressId: address.id, to: recipient, filled }
    const { id } = await addTransactional(pg, send)
    return { id, status: 'queued' }
  })
  return done.reply
}

const namedMax = 5
const templateFields = ['subject', 'previewText', 'html', 'markdown'] as const

/**
 * A transactional email has no preview: without this check a misspelt placeholder would reach its
 * recipient as typed.
 */
function checkPlaceholders(body: NewSendRequest): void {
  if (body.allowUnknown === true) return
  const details = templateFields.flatMap((field) =>
    unknownPlaceholders(body[field] ?? '', namedMax).map((braces) => ({
      field,
      rule: `contains ${braces}, which is no placeholder: use {{name}} or {{attr.key}}, or set allowUnknown to true to send it as typed`,
    })),
  )
  const [first] = details
  if (first === undefined) return
  const message = `\`${first.field}\`: ${first.rule}.`
  throw new CodedError('unknown_placeholder', { message, details })
}

/** 600 sends per hour for each organization (email-api: Limits). */
export function sendWindow(organizationId: string): RateWindow {
  return { bucket: `sends:${organizationId}`, hitsMax: 600, windowMs: 3_600_000 }
}

async function takeSendHit(
  pg: Database,
  { organizationId, now }: { organizationId: string; now: Date },
  onHits: OnHits,
): Promise<TakenHits> {
  const hits = await takeHits(pg, [sendWindow(organizationId)], now)
  onHits(hits, hits.kind === 'taken')
  if (hits.kind === 'taken') return hits
  throw new CodedError('rate_limited', {
    message: `Too many requests: at most ${hits.window.hitsMax} emails per hour for this organization.`,
  })
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
