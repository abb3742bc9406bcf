/** Many contacts of one newsletter in a few statements, in the transaction of the caller. */
import { v7 as uuidv7 } from 'uuid'
import type { Attribs, ContactStatus } from '#schemas/rest/contact.ts'
import { erasedKey, type SuppressionCause } from './address-store.ts'
import type { StoredContact } from './contact-store.ts'
import type { Database } from './database.ts'

export interface BulkAddress {
  readonly id: string
  readonly key: string
  readonly suppressionCause: SuppressionCause | null
}

const addressColumns = `id, email_key as key, suppression_cause as "suppressionCause"`

/** By the key that was asked for, also where only a hash of it is left. */
export async function findAddresses(
  pg: Database,
  asked: { organizationId: string; keys: readonly string[] },
): Promise<Map<string, BulkAddress>> {
  return addressesBy(
    pg,
    asked,
    `select ${addressColumns} from addresses where organization_id = $1 and email_key = any($2)`,
  )
}

/** All of them locked, in one order for everybody; those that were missing are made. */
export async function ensureAddresses(
  pg: Database,
  wanted: { organizationId: string; addresses: readonly { email: string; key: string }[] },
): Promise<Map<string, BulkAddress>> {
  const { organizationId, addresses } = wanted
  const keys = addresses.map(({ key }) => key)
  const known = await findAddresses(pg, { organizationId, keys })
  const missing = addresses.filter(({ key }) => !known.has(key))
  await pg.query(
    `insert into addresses (id, organization_id, email, email_key)
       select w.id, $1, w.email, w.key from unnest($2::uuid[], $3::text[], $4::text[]) w (id, email, key) order by w.key
     on conflict (organization_id, email_key) do nothing`,
    [
      organizationId,
      missing.map(() => uuidv7()),
      missing.map(({ email }) => email),
      missing.map(({ key }) => key),
    ],
  )
  return addressesBy(
    pg,
    { organizationId, keys },
    `select ${addressColumns} from addresses where organization_id = $1 and email_key = any($2) order by email_key for update`,
  )
}

async function addressesBy(
  pg: Database,
  { organizationId, keys }: { organizationId: string; keys: readonly string[] },
  sql: string,
): Promise<Map<string, BulkAddress>> {
  const keyOfErased = new Map(keys.map((key) => [erasedKey(organizationId, key), key]))
  const { rows } = await pg.query<BulkAddress>(sql, [
    organizationId,
    [...keys, ...keyOfErased.keys()],
  ])
  return new Map(rows.map((row) => [keyOfErased.get(row.key) ?? row.key, row]))
}

/** By the address. */
export async function findContactsOf(
  pg: Database,
  place: { newsletterId: string; addressIds: readonly string[] },
): Promise<Map<string, BulkContact>> {
  const { rows } = await pg.query<BulkContact>(
    `select id, address_id as "addressId", status, name, attribs from contacts
     where newsletter_id = $1 and address_id = any($2)`,
    [place.newsletterId, place.addressIds],
  )
  return new Map(rows.map((row) => [row.addressId, row]))
}

export interface BulkContact
  extends Pick<StoredContact, 'id' | 'addressId' | 'status' | 'name' | 'attribs'> {}

export interface BulkNewContact extends BulkContact {
  readonly statusBefore: ContactStatus | null
  readonly source: string
}

export async function addContacts(
  pg: Database,
  place: { organizationId: string; newsletterId: string; now: Date },
  contacts: readonly BulkNewContact[],
): Promise<void> {
  if (contacts.length === 0) return
  await pg.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, status_before, name, attribs, source,
       signup_at, unsubscribed_at, updated_at)
     select c.id, $1, $2, c.address_id, c.status, c.status_before, c.name, c.attribs, c.source, $3,
       case when c.status = 'unsubscribed' then $3::timestamptz end, $3
     from unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::text[])
       c (id, address_id, status, status_before, name, attribs, source)`,
    [
      place.organizationId,
      place.newsletterId,
      place.now,
      contacts.map(({ id }) => id),
      contacts.map(({ addressId }) => addressId),
      contacts.map(({ status }) => status),
      contacts.map(({ statusBefore }) => statusBefore),
      contacts.map(({ name }) => name),
      contacts.map(({ attribs }) => JSON.stringify(attribs)),
      contacts.map(({ source }) => source),
    ],
  )
}

export async function changeContacts(
  pg: Database,
  contacts: readonly { id: string; status: ContactStatus; name: string | null; attribs: Attribs }[],
  now: Date,
): Promise<void> {
  if (contacts.length === 0) return
  await pg.query(
    `update contacts set status = c.status, name = c.name, attribs = c.attribs, updated_at = $1,
       unsubscribed_at = case when c.status = 'unsubscribed' and contacts.status <> 'unsubscribed' then $1 else unsubscribed_at end
     from unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[]) c (id, status, name, attribs) where contacts.id = c.id`,
    [
      now,
      contacts.map(({ id }) => id),
      contacts.map(({ status }) => status),
      contacts.map(({ name }) => name),
      contacts.map(({ attribs }) => JSON.stringify(attribs)),
    ],
  )
}

export async function addImportEvents(
  pg: Database,
  events: readonly { contactId: string; kind: string; source: string; details: object }[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await pg.query(
    `insert into contact_events (id, contact_id, kind, via, source, details, at)
     select e.id, e.contact_id, e.kind, 'import', e.source, e.details, $1
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[]) e (id, contact_id, kind, source, details)`,
    [
      now,
      events.map(() => uuidv7()),
      events.map(({ contactId }) => contactId),
      events.map(({ kind }) => kind),
      events.map(({ source }) => source),
      events.map(({ details }) => JSON.stringify(details)),
    ],
  )
}

/** A big import would look at these tables by what they held before it, which makes each batch slower than the last. */
export async function countAnew(pg: Database): Promise<void> {
  await pg.query('analyze addresses')
  await pg.query('analyze contacts')
}
