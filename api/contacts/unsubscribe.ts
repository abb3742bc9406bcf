/**
 * Unsubscribes a contact, for every way that leads there: link, one-click header, preferences,
 * provider or administration. It takes effect at once and is idempotent.
 */
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { lockAddressById } from './address-store.ts'
import {
  addContactEvent,
  type ContactVia,
  findContact,
  restoreContact,
  statusBeforeUnsubscribed,
  unsubscribeStoredContact,
} from './contact-store.ts'

export interface ContactAct {
  readonly contactId: string
  readonly via: ContactVia
  readonly source?: string | null
  readonly ip?: string | null
  readonly userAgent?: string | null
  readonly details?: object
  readonly now: Date
}

const undoMsMax = 3_600_000

/** Runs in the caller's transaction. Returns true when the contact was subscribed or pending. */
export async function unsubscribe(pg: Database, act: ContactAct): Promise<boolean> {
  const { contactId: id, now, details, ...where } = act
  const seen = await findContact(pg, id)
  if (seen === undefined) return false
  await lockAddressById(pg, seen.addressId)
  const before = (await findContact(pg, id))?.status
  const left = await unsubscribeStoredContact(pg, { id, now })
  if (!left) return false
  await addContactEvent(pg, {
    contactId: id,
    kind: 'unsubscribed',
    now,
    ...where,
    details: { ...details, before },
  })
  return true
}

/** Restores the status before an unsubscription that is at most an hour old. */
export async function undoUnsubscribe(
  ctx: Pick<ApiContext, 'pg'>,
  act: ContactAct,
): Promise<boolean> {
  const { contactId: id, now, details: _details, ...where } = act
  return ctx.pg.transaction(async (pg) => {
    const contact = await findContact(pg, id)
    if (contact === undefined) return false
    await lockAddressById(pg, contact.addressId)
    const status = await statusBeforeUnsubscribed(pg, id)
    if (status !== 'pending' && status !== 'subscribed') return false
    const unsubscribedSince = new Date(now.getTime() - undoMsMax)
    if (!(await restoreContact(pg, { id, status, unsubscribedSince, now }))) return false
    const event = { contactId: id, kind: 'unsubscribe_undone', now, details: { status } }
    await addContactEvent(pg, { ...event, ...where })
    return true
  })
}
