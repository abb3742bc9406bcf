/** Erases the contact data of one person: of one address in an organization. */
import type { QueryResult, QueryResultRow } from 'pg'
import { erasedKey } from './erased-key.ts'

/** A pool, or the client of an open transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<Pick<QueryResult<Row>, 'rows' | 'rowCount'>>
}

/**
 * Deletes contacts, names, attributes, emails, opens and clicks. What stays depends on the address:
 * - suppressed: its hash and the cause, so that no import or signup sends emails to it again;
 * - unsubscribed: its hash, so that no import subscribes it again, while a signup does;
 * - any other: nothing.
 */
export async function erasePersonData(
  pg: Queryable,
  person: { organizationId: string; addressId: string },
): Promise<{ contacts: number; suppressed: boolean }> {
  const { organizationId, addressId } = person
  const { rows } = await pg.query<{ key: string; suppressed: boolean }>(
    `select email_key as key, suppressed_at is not null as suppressed from addresses
     where id = $1 and organization_id = $2 for update`,
    [addressId, organizationId],
  )
  const [address] = rows
  if (address === undefined) return { contacts: 0, suppressed: false }
  const isErased = address.key.startsWith('sha256:')
  const hash = isErased ? address.key : erasedKey(organizationId, address.key)
  await pg.query(
    `insert into erased_opt_outs (organization_id, email_hash)
       select $1, $2 where exists (select from contacts where address_id = $3
         and 'unsubscribed' in (status, coalesce(status_before, '')))
     on conflict do nothing`,
    [organizationId, hash, addressId],
  )
  await pg.query(
    'delete from tracking_hits where contact_id in (select id from contacts where address_id = $1)',
    [addressId],
  )
  // Deliveries stay as counts of their campaign, without replies, which often name the address.
  await pg.query(
    `update deliveries d set attempt_log = null, reason = case when d.state = 'skipped' then d.reason end
       from contacts k join campaigns c on c.newsletter_id = k.newsletter_id
       where k.address_id = $1 and d.campaign_id = c.id and d.contact_id = k.id
         and (d.attempt_log is not null or d.reason is not null)`,
    [addressId],
  )
  const deleted = await pg.query('delete from contacts where address_id = $1', [addressId])
  const erased = { contacts: deleted.rowCount ?? 0, suppressed: address.suppressed }
  if (!address.suppressed) {
    await pg.query('delete from addresses where id = $1', [addressId])
    return erased
  }
  await pg.query('delete from sends where address_id = $1', [addressId])
  await pg.query(
    'update bounce_reports set excerpt = null, message_ref = null where address_id = $1',
    [addressId],
  )
  await pg.query('update addresses set email = null, email_key = $2 where id = $1', [
    addressId,
    hash,
  ])
  return erased
}
