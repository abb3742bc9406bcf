/**
 * Sends a confirmation email to a pending contact, within limits: anyone can enter a stranger's
 * address into a public form, as often as they like. Runs in the transaction that created or found
 * the contact.
 */
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import type { StoredNewsletter } from '../../newsletters/newsletter-store.ts'
import { takeHits } from '../../rate-limits/rate-window-store.ts'
import { addSealedSend } from '../../sends/send-store.ts'
import { addConfirmToken } from '../confirm-token-store.ts'
import { confirmEmail } from './confirm-email.ts'
import { makeConfirmToken } from './confirm-token.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const tokenLifeMs = 7 * dayMs
const perDayMax = 3

export async function askToConfirm(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  asked: {
    readonly contactId: string
    readonly newsletter: StoredNewsletter
    readonly address: { readonly id: string; readonly email: string }
    readonly now: Date
    /** True: the interval between two emails does not apply, because a form cannot cause this. */
    readonly isResubscribing?: boolean
  },
): Promise<'sent' | 'too_soon'> {
  const { contactId, newsletter, address, now } = asked
  const inIntervalMax = asked.isResubscribing === true ? perDayMax : 1
  const windows = [
    { bucket: `confirm:${contactId}`, hitsMax: inIntervalMax, windowMs: 10 * minuteMs },
    { bucket: `confirm-day:${contactId}`, hitsMax: perDayMax, windowMs: dayMs },
    { bucket: `confirm-address:${address.id}`, hitsMax: 10, windowMs: dayMs },
  ]
  const taken = await takeHits(pg, windows, now)
  if (taken.kind === 'full') return 'too_soon'
  const { value, hash } = makeConfirmToken()
  const expiresAt = new Date(now.getTime() + tokenLifeMs)
  await addConfirmToken(pg, { hash, contactId, expiresAt, now })
  const link = `${ctx.apiUrl}/confirm/${value}`
  await addSealedSend(pg, ctx.box, confirmEmail({ newsletter, address, link, askedAt: now }))
  return 'sent'
}
