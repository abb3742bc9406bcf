/** Due notifications of portals, and the queue of emails that they become. */
import { v7 as uuidv7 } from 'uuid'
import type { PoolClient } from '#platform/postgres.ts'
import type { DueNotification } from './judge-notification.ts'
import type { NotificationEmail } from './render-notification.ts'

/**
 * Lets one worker at a time send notifications, so that the daily maximum is exact. False if
 * another one is sending.
 */
export async function lockNotifications(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('portal_notices')) locked`,
  )
  return rows[0]?.locked === true
}

export async function listDueNotifications(
  client: PoolClient,
  { now, rowsMax }: { now: Date; rowsMax: number },
): Promise<DueNotification[]> {
  const { rows } = await client.query<DueNotification>(
    `select n.id, n.kind, n.project_id "projectId", p.organization_id "organizationId", p.project_key "projectKey",
       coalesce(nullif(s.branding->>'title', ''), p.name) "portalName", n.email, n.email_key "emailKey",
       n.created_at "createdAt",
       exists (select from endusers u where u.project_id = n.project_id and lower(u.email) = n.email_key
         and u.email_source = 'token') verified,
       exists (select from portal_optouts o where o.project_id = n.project_id and o.email_key = n.email_key) "optedOut",
       exists (select from addresses a where a.organization_id = p.organization_id and a.suppressed_at is not null
         and a.email_key in (n.email_key,
           'sha256:' || encode(sha256(convert_to(p.organization_id || ' ' || n.email_key, 'UTF8')), 'hex'))) suppressed,
       (select count(*)::int from portal_notices d where d.project_id = n.project_id and d.email_key = n.email_key
         and d.sent_at is not null and d.sent_at > $1::timestamptz - interval '24 hours') "sentToday",
       i.id "ideaId", i.title "ideaTitle", i.status "ideaStatus", i.moderation "ideaModeration",
       canonical.id "canonicalId", canonical.title "canonicalTitle", i.response, i.response_at "responseAt",
       (select e.from_status from idea_events e where e.idea_id = i.id and e.from_status is distinct from e.to_status
         and e.from_status is not null and e.at >= n.created_at order by e.at, e.id limit 1) "statusBefore",
       (select e.details->>'reason' from idea_events e where e.idea_id = i.id and e.kind = 'rejected'
         order by e.at desc, e.id desc limit 1) "rejectReason",
       c.body "commentBody", c.is_team "commentByTeam",
       coalesce(c.moderation = 'published' and c.deleted_at is null, false) "commentStands"
     from (select * from portal_notices where sent_at is null and dropped is null and not_before <= $1
       order by not_before, id limit $2 for update skip locked) n
     join projects p on p.id = n.project_id
     left join portal_settings s on s.project_id = p.id
     join ideas i on i.id = n.idea_id
     left join ideas canonical on canonical.id = i.duplicate_of
     left join comments c on c.id = n.comment_id
     order by n.not_before, n.id`,
    [now, rowsMax],
  )
  return rows
}

export async function dropNotification(client: PoolClient, id: string, why: string): Promise<void> {
  await client.query('update portal_notices set dropped = $2 where id = $1', [id, why])
}

/** Id of the mailbox's row, which is created if it does not exist. */
export async function ensureNotificationAddress(
  client: PoolClient,
  notification: Pick<DueNotification, 'organizationId' | 'email' | 'emailKey'>,
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into addresses (id, organization_id, email, email_key) values ($1, $2, $3, $4)
     on conflict (organization_id, email_key) do update set email = coalesce(addresses.email, excluded.email)
     returning id`,
    [uuidv7(), notification.organizationId, notification.email, notification.emailKey],
  )
  return rows[0]!.id
}

export interface OutgoingNotification {
  readonly notification: DueNotification
  readonly addressId: string
  readonly fromAddress: string
  readonly email: NotificationEmail
  readonly now: Date
}

/** Adds an email to the queue of the mail process, which the commit notifies. */
export async function queueNotification(
  client: PoolClient,
  outgoing: OutgoingNotification,
): Promise<void> {
  const { notification, email } = outgoing
  await client.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, from_name, to_address, subject, text, headers)
     values ($1, $2, $3, 'notice', 2, $4, $5, $6, $7, $8, $9)`,
    [
      uuidv7(),
      notification.organizationId,
      outgoing.addressId,
      outgoing.fromAddress,
      notification.portalName,
      notification.email,
      email.subject,
      email.text,
      JSON.stringify(email.headers),
    ],
  )
  await client.query('update portal_notices set sent_at = $2 where id = $1', [
    notification.id,
    outgoing.now,
  ])
  await client.query(`select pg_notify('sends', '')`)
}
