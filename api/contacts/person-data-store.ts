/**
 * Everything that is stored about one person in an organization: read it for an export, erase it.
 */
import type { Database } from '../database.ts'
import { erasedKey } from './address-store.ts'

/** Rows of each kind in an export. */
const rowsMax = 10_000

/** Reads everything that names the person. Of each kind the newest rows are kept, newest first. */
export async function readPersonData(
  pg: Database,
  addressId: string,
): Promise<Record<string, unknown>> {
  const { rows } = await pg.query<{ data: Record<string, unknown> }>(
    `select jsonb_build_object(
       'address', (select jsonb_build_object('email', email, 'createdAt', created_at, 'suppressedAt', suppressed_at,
         'suppressionCause', suppression_cause) from addresses where id = $1),
       'subscriptions', coalesce((select jsonb_agg(jsonb_build_object('newsletter', n.name, 'status', c.status, 'name', c.name,
         'attribs', c.attribs, 'source', c.source, 'signupAt', c.signup_at, 'signupIp', c.signup_ip,
         'confirmedAt', c.confirmed_at, 'confirmedIp', c.confirmed_ip, 'confirmedUserAgent', c.confirmed_user_agent,
         'unsubscribedAt', c.unsubscribed_at))
         from contacts c join newsletters n on n.id = c.newsletter_id where c.address_id = $1), '[]'),
       'events', coalesce((select jsonb_agg(e) from (select e.kind, e.via, e.source, e.ip, e.user_agent as "userAgent",
         e.details, e.at from contact_events e join contacts c on c.id = e.contact_id where c.address_id = $1
         order by e.at desc limit ${rowsMax}) e), '[]'),
       'emails', coalesce((select jsonb_agg(s) from (select kind, subject, state, created_at as "createdAt" from sends
         where address_id = $1 order by created_at desc limit ${rowsMax}) s), '[]'),
       'campaigns', coalesce((select jsonb_agg(d) from (select p.subject, d.state, d.finished_at as "finishedAt"
         from deliveries d join campaigns p on p.id = d.campaign_id
         where d.contact_id in (select id from contacts where address_id = $1)
         order by d.finished_at desc nulls last limit ${rowsMax}) d), '[]'),
       'opensAndClicks', coalesce((select jsonb_agg(h) from (select h.kind, h.link_index as "linkIndex",
         h.user_agent as "userAgent", h.at from tracking_hits h
         where h.contact_id in (select id from contacts where address_id = $1) order by h.at desc limit ${rowsMax}) h), '[]'),
       'bounces', coalesce((select jsonb_agg(b) from (select type, source, at from bounce_reports where address_id = $1
         order by received_at desc limit ${rowsMax}) b), '[]')
     ) as data`,
    [addressId],
  )
  return rows[0]?.data ?? {}
}

/**
 * Deletes contacts, names, attributes, emails, opens and clicks. What stays depends on the address:
 * - suppressed: its hash and the cause, so that no import or signup sends emails to it again;
 * - unsubscribed: its hash, so that no import subscribes it again, while a signup does;
 * - any other: nothing.
 */
export async function erasePersonData(
  pg: Database,
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
