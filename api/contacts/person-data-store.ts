/** Reads everything that is stored about one person in an organization, for an export. */
import type { Database } from '../database.ts'

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
       'campaigns', coalesce((select jsonb_agg(d) from (select p.subject,
         case when d.state = 'claimed' and d.claimed_by is null then 'queued' else d.state end as state, d.finished_at as "finishedAt"
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
