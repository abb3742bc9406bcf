/**
 * Contacts of newsletters, and the events that explain their status. The caller of a change holds
 * the lock on the contact's address (address-store.ts).
 */
import { v7 as uuidv7 } from 'uuid'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import type { Attribs, ContactStatus } from '#schemas/rest/email/contact.ts'
import type { Database } from '../database.ts'

export interface StoredContact {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly addressId: string
  readonly status: ContactStatus
  readonly statusBefore: ContactStatus | null
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string | null
  readonly confirmedAt: Date | null
  readonly unsubscribedAt: Date | null
}

const columns = `id, organization_id as "organizationId", newsletter_id as "newsletterId", address_id as "addressId", status,
  status_before as "statusBefore", name, attribs, source, confirmed_at as "confirmedAt", unsubscribed_at as "unsubscribedAt"`

export async function findContactOf(
  pg: Database,
  place: { newsletterId: string; addressId: string },
): Promise<StoredContact | undefined> {
  const { rows } = await pg.query<StoredContact>(
    `select ${columns} from contacts where newsletter_id = $1 and address_id = $2`,
    [place.newsletterId, place.addressId],
  )
  return rows[0]
}

export async function findContact(pg: Database, id: string): Promise<StoredContact | undefined> {
  const { rows } = await pg.query<StoredContact>(`select ${columns} from contacts where id = $1`, [
    id,
  ])
  return rows[0]
}

export interface NewContactRow {
  readonly organizationId: string
  readonly newsletterId: string
  readonly addressId: string
  readonly status: ContactStatus
  readonly statusBefore: ContactStatus | null
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string | null
  readonly ip: string | null
  readonly now: Date
}

export async function addContact(pg: Database, contact: NewContactRow): Promise<string> {
  const id = uuidv7()
  await pg.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, status_before, name, attribs, source,
       signup_at, signup_ip, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10)`,
    [
      id,
      contact.organizationId,
      contact.newsletterId,
      contact.addressId,
      contact.status,
      contact.statusBefore,
      contact.name,
      JSON.stringify(contact.attribs),
      contact.source,
      contact.now,
      contact.ip,
    ],
  )
  return id
}

/**
 * Stores status, name and attributes. A contact that is subscribed again has no `unsubscribed_at`.
 */
export async function changeContact(
  pg: Database,
  contact: { id: string; status: ContactStatus; name: string | null; attribs: Attribs; now: Date },
): Promise<void> {
  await pg.query(
    `update contacts set status = $2, name = $3, attribs = $4, updated_at = $5,
       unsubscribed_at = case when $2 in ('pending', 'subscribed') then null else unsubscribed_at end
     where id = $1`,
    [contact.id, contact.status, contact.name, JSON.stringify(contact.attribs), contact.now],
  )
}

/** Confirms a pending contact. Returns false when the contact was not pending. */
export async function confirmContact(
  pg: Database,
  click: { id: string; ip: string | null; userAgent: string | null; now: Date },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update contacts set status = 'subscribed', confirmed_at = $2, confirmed_ip = $3, confirmed_user_agent = $4,
       unsubscribed_at = null, updated_at = $2
     where id = $1 and status = 'pending'`,
    [click.id, click.now, click.ip, click.userAgent],
  )
  return rowCount === 1
}

/**
 * Returns false when the contact was neither pending nor subscribed. A bounced or complained
 * contact keeps its status, but becomes unsubscribed when the suppression is lifted.
 */
export async function unsubscribeStoredContact(
  pg: Database,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const { rows } = await pg.query<{ status: string }>(
    `update contacts set
       status = case when status in ('pending', 'subscribed') then 'unsubscribed' else status end,
       status_before = case when status in ('pending', 'subscribed') then status_before else 'unsubscribed' end,
       unsubscribed_at = $2, updated_at = $2
     where id = $1 and (status in ('pending', 'subscribed')
       or status in ('bounced', 'complained') and status_before is distinct from 'unsubscribed')
     returning status`,
    [id, now],
  )
  return rows[0]?.status === 'unsubscribed'
}

/** Undoes an unsubscription. Returns false if none is recent enough. */
export async function restoreContact(
  pg: Database,
  contact: { id: string; status: 'pending' | 'subscribed'; unsubscribedSince: Date; now: Date },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update contacts set status = $2, unsubscribed_at = null, updated_at = $4
     where id = $1 and status = 'unsubscribed' and $3 <= unsubscribed_at`,
    [contact.id, contact.status, contact.unsubscribedSince, contact.now],
  )
  return rowCount === 1
}

/**
 * Deletes a contact and its events. When it was unsubscribed, the hash of its address stays, so
 * that no import subscribes it again.
 */
export async function deleteStoredContact(pg: Database, id: string): Promise<void> {
  const { rows } = await pg.query<{ organizationId: string; key: string }>(
    `with deleted as (delete from contacts where id = $1
       returning address_id, status, status_before)
     select a.organization_id as "organizationId", a.email_key as key
     from deleted d join addresses a on a.id = d.address_id
     where a.email is not null and 'unsubscribed' in (d.status, coalesce(d.status_before, ''))`,
    [id],
  )
  for (const { organizationId, key } of rows) {
    await pg.query(
      'insert into erased_opt_outs (organization_id, email_hash) values ($1, $2) on conflict do nothing',
      [organizationId, erasedKey(organizationId, key)],
    )
  }
}

export type ContactVia =
  | 'signup'
  | 'confirm_page'
  | 'unsubscribe_page'
  | 'one_click'
  | 'preferences'
  | 'dashboard'
  | 'import'
  | 'command_line'
  | 'provider'

export interface ContactEvent {
  readonly contactId: string
  readonly kind: string
  readonly via: ContactVia
  readonly source?: string | null | undefined
  readonly ip?: string | null | undefined
  readonly userAgent?: string | null | undefined
  readonly details?: object
  readonly now: Date
}

export async function addContactEvent(pg: Database, event: ContactEvent): Promise<void> {
  await pg.query(
    `insert into contact_events (id, contact_id, kind, via, source, ip, user_agent, details, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      uuidv7(),
      event.contactId,
      event.kind,
      event.via,
      event.source ?? null,
      event.ip ?? null,
      event.userAgent ?? null,
      JSON.stringify(event.details ?? {}),
      event.now,
    ],
  )
}

/** Finds the status before the last unsubscription. */
export async function statusBeforeUnsubscribed(
  pg: Database,
  contactId: string,
): Promise<ContactStatus | undefined> {
  const { rows } = await pg.query<{ before: ContactStatus | null }>(
    `select details->>'before' as before from contact_events
     where contact_id = $1 and kind = 'unsubscribed' order by at desc, id desc limit 1`,
    [contactId],
  )
  return rows[0]?.before ?? undefined
}
