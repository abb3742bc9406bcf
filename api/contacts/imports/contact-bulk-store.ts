/** Statements on many contacts of one newsletter at once, in the transaction of the caller. */
import { v7 as uuidv7 } from 'uuid'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import type { Attribs, ContactStatus } from '#schemas/rest/email/contact.ts'
import type { Database } from '../../database.ts'
import type { SuppressionCause } from '../address-store.ts'
import type { StoredContact } from '../contact-store.ts'

export interface BulkAddress {
  readonly id: string
  readonly key: string
  readonly suppressionCause: SuppressionCause | null
  /** True when only a hash of the address is stored. */
  readonly erased: boolean
}

const addressColumns = `id, email_key as key, suppression_cause as "suppressionCause", email is null as erased`

/**
 * Finds addresses by the given keys, including erased addresses, for which only a hash is stored.
 */
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

/**
 * Creates missing addresses and locks all of them, ordered by key so that imports cannot deadlock.
 */
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

/** Finds the keys of people who unsubscribed and were then erased or deleted. */
export async function findErasedOptOuts(
  pg: Database,
  asked: { organizationId: string; keys: readonly string[] },
): Promise<Set<string>> {
  const { organizationId, keys } = asked
  const keyOfHash = new Map(keys.map((key) => [erasedKey(organizationId, key), key]))
  const { rows } = await pg.query<{ hash: string }>(
    'select email_hash as hash from erased_opt_outs where organization_id = $1 and email_hash = any($2)',
    [organizationId, [...keyOfHash.keys()]],
  )
  return new Set(rows.map(({ hash }) => keyOfHash.get(hash)!))
}

export interface BulkSuppression {
  readonly addressId: string
  readonly cause: SuppressionCause
  readonly source: string | null
  readonly at: Date
}

/** The caller holds the locks on the addresses. */
export async function suppressAddresses(
  pg: Database,
  suppressions: readonly BulkSuppression[],
): Promise<void> {
  if (suppressions.length === 0) return
  await pg.query(
    `select suppress_address(s.address_id, s.cause, s.source, 'import', s.at)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) s (address_id, cause, source, at)`,
    [
      suppressions.map(({ addressId }) => addressId),
      suppressions.map(({ cause }) => cause),
      suppressions.map(({ source }) => source),
      suppressions.map(({ at }) => at),
    ],
  )
}

/** Finds contacts of the newsletter, by the id of their address. */
export async function findContactsOf(
  pg: Database,
  place: { newsletterId: string; addressIds: readonly string[] },
): Promise<Map<string, BulkContact>> {
  const { rows } = await pg.query<BulkContact>(
    `select id, address_id as "addressId", status, status_before as "statusBefore", name, attribs from contacts
     where newsletter_id = $1 and address_id = any($2)`,
    [place.newsletterId, place.addressIds],
  )
  return new Map(rows.map((row) => [row.addressId, row]))
}

export interface BulkContact
  extends Pick<
    StoredContact,
    'id' | 'addressId' | 'status' | 'statusBefore' | 'name' | 'attribs'
  > {}

export interface BulkNewContact extends BulkContact {
  readonly source: string | null
  readonly signupAt: Date
  readonly confirmedAt: Date | null
  readonly unsubscribedAt: Date | null
}

export async function addContacts(
  pg: Database,
  place: { organizationId: string; newsletterId: string; now: Date },
  contacts: readonly BulkNewContact[],
): Promise<void> {
  if (contacts.length === 0) return
  await pg.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, status_before, name, attribs, source,
       signup_at, confirmed_at, unsubscribed_at, updated_at)
     select c.id, $1, $2, c.address_id, c.status, c.status_before, c.name, c.attribs, c.source, c.signup_at, c.confirmed_at,
       c.unsubscribed_at, $3
     from unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::text[], $11::timestamptz[],
       $12::timestamptz[], $13::timestamptz[])
       c (id, address_id, status, status_before, name, attribs, source, signup_at, confirmed_at, unsubscribed_at)`,
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
      contacts.map(({ signupAt }) => signupAt),
      contacts.map(({ confirmedAt }) => confirmedAt),
      contacts.map(({ unsubscribedAt }) => unsubscribedAt),
    ],
  )
}

export interface BulkChange {
  readonly id: string
  readonly status: ContactStatus
  readonly statusBefore: ContactStatus | null
  readonly name: string | null
  readonly attribs: Attribs
  /** Time of the unsubscription; null for every other change. */
  readonly leftAt: Date | null
}

export async function changeContacts(
  pg: Database,
  contacts: readonly BulkChange[],
  now: Date,
): Promise<void> {
  if (contacts.length === 0) return
  await pg.query(
    `update contacts set status = c.status, status_before = c.status_before, name = c.name, attribs = c.attribs, updated_at = $1,
       unsubscribed_at = coalesce(c.left_at, unsubscribed_at)
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
       c (id, status, status_before, name, attribs, left_at) where contacts.id = c.id`,
    [
      now,
      contacts.map(({ id }) => id),
      contacts.map(({ status }) => status),
      contacts.map(({ statusBefore }) => statusBefore),
      contacts.map(({ name }) => name),
      contacts.map(({ attribs }) => JSON.stringify(attribs)),
      contacts.map(({ leftAt }) => leftAt),
    ],
  )
}

export interface BulkEvent {
  readonly contactId: string
  readonly kind: string
  readonly source: string | null
  readonly details: object
}

export async function addImportEvents(
  pg: Database,
  events: readonly BulkEvent[],
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

/** Updates the planner's statistics; with those from before a large import each batch is slower. */
export async function analyzeContactTables(pg: Database): Promise<void> {
  await pg.query('analyze addresses')
  await pg.query('analyze contacts')
}
