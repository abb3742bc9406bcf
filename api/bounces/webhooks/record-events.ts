/**
 * Records the events of all adapters. Each bounce has a transaction of its own: a payload may name
 * thousands of addresses in any order, and two payloads that locked several addresses at once could
 * deadlock. A repeated payload changes nothing, because each event has an id.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { type EmailRef, findEmailRef, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import { ensureAddress } from '../../contacts/address-store.ts'
import { unsubscribe } from '../../contacts/unsubscribe.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { endSoftRuns, recordBounce } from '../bounce-store.ts'
import { contactsOfReport, findEmailAddress, settleUncertain } from './email-ref-store.ts'
import type { WebhookEvent } from './webhook-event.ts'

export interface WebhookSource {
  readonly organizationId: string
  /** The name of the adapter: event ids are unique within one provider only. */
  readonly source: string
}

/** `recorded`: bounces and complaints that had not been reported before. */
export async function recordEvents(
  ctx: ApiContext,
  source: WebhookSource,
  events: readonly WebhookEvent[],
): Promise<{ recorded: number }> {
  await recordDeliveries(ctx, source, events)
  let recorded = 0
  for (const event of events) {
    if (event.kind === 'unsubscribed') await recordUnsubscribe(ctx, source, event)
    if (event.kind !== 'bounce') continue
    const isNew = await ctx.pg.transaction((pg) => recordOne(pg, ctx, source, event))
    if (isNew) recorded += 1
  }
  return { recorded }
}

async function recordOne(
  pg: Database,
  ctx: ApiContext,
  { organizationId, source }: WebhookSource,
  event: WebhookEvent & { kind: 'bounce' },
): Promise<boolean> {
  const parsed = parseEmailAddress(event.email)
  if (parsed.kind === 'invalid') return false
  const now = new Date(ctx.clock.nowMs())
  const address = await ensureAddress(pg, { organizationId, ...parsed })
  const ref = await ownEmail(pg, organizationId, event.messageId)
  const { outcome } = await recordBounce(
    pg,
    {
      addressId: address.id,
      type: event.type,
      cause: event.cause,
      counts: event.counts,
      source,
      eventId: event.eventId,
      emailRef: ref === undefined ? null : formatEmailRef(ref),
      campaignId: ref?.kind === 'delivery' ? ref.campaignId : null,
      excerpt: event.excerpt,
      at: event.at,
    },
    now,
  )
  if (ref !== undefined) await settleUncertain(pg, ref, now)
  return outcome !== 'duplicate'
}

/**
 * Unsubscribes from the newsletter of the email, or from all of the organization if the event names
 * no email. The address is not suppressed.
 */
async function recordUnsubscribe(
  ctx: ApiContext,
  { organizationId, source }: WebhookSource,
  { email, messageId }: WebhookEvent & { kind: 'unsubscribed' },
): Promise<void> {
  const parsed = parseEmailAddress(email)
  if (parsed.kind === 'invalid') return
  const now = new Date(ctx.clock.nowMs())
  await ctx.pg.transaction(async (pg) => {
    const ref = await ownEmail(pg, organizationId, messageId)
    const contactIds = await contactsOfReport(pg, { organizationId, key: parsed.key, ref })
    for (const contactId of contactIds) {
      await unsubscribe(pg, { contactId, via: 'provider', source, now })
    }
  })
}

async function recordDeliveries(
  ctx: ApiContext,
  { organizationId }: WebhookSource,
  events: readonly WebhookEvent[],
): Promise<void> {
  const delivered = events.filter((event) => event.kind === 'delivered')
  if (delivered.length === 0) return
  const addresses = delivered.flatMap(({ email, at }) => {
    const parsed = parseEmailAddress(email)
    return parsed.kind === 'address' ? [{ key: parsed.key, at }] : []
  })
  await endSoftRuns(ctx.pg, { organizationId, addresses })
  const now = new Date(ctx.clock.nowMs())
  for (const { messageId } of delivered) {
    const named = messageId === null ? undefined : findEmailRef(messageId)
    if (named === undefined) continue
    await ctx.pg.transaction(async (pg) => {
      const ref = await ownEmail(pg, organizationId, messageId)
      if (ref !== undefined) await settleUncertain(pg, ref, now)
    })
  }
}

/** Undefined for an email of another organization, which a Message-ID may name. */
async function ownEmail(
  pg: Database,
  organizationId: string,
  messageId: string | null,
): Promise<EmailRef | undefined> {
  const ref = messageId === null ? undefined : findEmailRef(messageId)
  if (ref === undefined) return undefined
  const email = await findEmailAddress(pg, { organizationId, ref })
  return email === undefined ? undefined : ref
}
