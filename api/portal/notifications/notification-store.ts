/**
 * Emails about ideas. A row is written in the transaction of its cause, and the workers send it
 * once it is due. At most one row is due for each idea, kind and address. It is composed from the
 * state at that time, so a change that was undone before is not sent.
 */
import type { Database } from '../../database.ts'

/** Delay in which a wrong change can be corrected before anybody is notified. */
export const statusDelayMs = 5 * 60_000

export type NotificationCause =
  | {
      /** A new status or response: to the author of the idea and to its voters. */
      readonly kind: 'status'
      readonly ideaId: string
      readonly now: Date
    }
  | {
      /** A moderator approved a suggestion, or rejected it and wants its author to know. */
      readonly kind: 'approved' | 'rejected'
      readonly ideaId: string
      readonly now: Date
    }
  | {
      /** A published reply: to the author of the comment above it, if that is somebody else. */
      readonly kind: 'reply'
      readonly ideaId: string
      readonly commentId: string
      readonly now: Date
    }

const authorOfIdea = `
  select i.project_id, i.id idea_id, null::uuid comment_id, coalesce(i.author_email, u.email) email
  from ideas i join endusers u on u.id = i.author_id where i.id = $1 and u.blocked_at is null`

/** SQL that selects project_id, idea_id, comment_id and email. */
const recipients: Readonly<Record<NotificationCause['kind'], string>> = {
  status: `${authorOfIdea} and i.moderation = 'published'
    union all
    select i.project_id, i.id, null, coalesce(v.email, u.email)
    from ideas i join votes v on v.idea_id = i.id join endusers u on u.id = v.enduser_id
    where i.id = $1 and i.moderation = 'published' and u.blocked_at is null`,
  approved: authorOfIdea,
  rejected: authorOfIdea,
  reply: `
    select c.project_id, c.idea_id, c.id comment_id, coalesce(above.author_email, u.email) email
    from comments c join comments above on above.id = c.parent_id join endusers u on u.id = above.author_id
    where c.idea_id = $1 and c.id = $5 and c.moderation = 'published' and c.deleted_at is null
      and above.deleted_at is null and u.blocked_at is null and c.author_id is distinct from above.author_id`,
}

/** Call it in the transaction of the cause, after the cause. Returns the number of recipients. */
export async function planNotifications(pg: Database, cause: NotificationCause): Promise<number> {
  const delayMs = cause.kind === 'status' ? statusDelayMs : 0
  const values: unknown[] = [
    cause.ideaId,
    cause.kind,
    cause.now,
    new Date(cause.now.getTime() + delayMs),
  ]
  if (cause.kind === 'reply') values.push(cause.commentId)
  const { rowCount } = await pg.query(
    `insert into portal_notices as n (id, project_id, idea_id, email_key, email, kind, comment_id, not_before, created_at)
     select distinct on (lower(r.email)) gen_random_uuid(), r.project_id, r.idea_id, lower(r.email), r.email, $2, r.comment_id,
       $4::timestamptz, $3::timestamptz
     from (${recipients[cause.kind]}) r
     where r.email is not null and not exists (
       select from portal_optouts o where o.project_id = r.project_id and o.email_key = lower(r.email))
     order by lower(r.email)
     on conflict (idea_id, email_key, kind, coalesce(comment_id, idea_id)) where sent_at is null and dropped is null
       do update set not_before = excluded.not_before`,
    values,
  )
  return rowCount ?? 0
}

/** Stops all emails of the portal to the address, those that are due included. */
export async function optOut(
  pg: Database,
  optout: { projectId: string; key: string; reason: 'stop' | 'not_me'; now: Date },
): Promise<void> {
  await pg.query(
    `insert into portal_optouts (project_id, email_key, reason, at) values ($1, $2, $3, $4)
     on conflict (project_id, email_key) do update set reason = excluded.reason, at = excluded.at
       where portal_optouts.reason = 'stop'`,
    [optout.projectId, optout.key, optout.reason, optout.now],
  )
  await pg.query(
    `update portal_notices set dropped = 'opted_out'
     where project_id = $1 and email_key = $2 and sent_at is null and dropped is null`,
    [optout.projectId, optout.key],
  )
}

/** Removes the address from all rows of the portal, except where a token has signed it. */
export async function removeTypedAddress(
  pg: Database,
  { projectId, key }: { projectId: string; key: string },
): Promise<void> {
  const values = [projectId, key]
  await pg.query(
    `update endusers set email = null, email_source = null
     where project_id = $1 and lower(email) = $2 and email_source = 'typed'`,
    values,
  )
  await pg.query(
    `update votes v set email = null from ideas i where i.id = v.idea_id and i.project_id = $1 and lower(v.email) = $2`,
    values,
  )
  await pg.query(
    'update ideas set author_email = null where project_id = $1 and lower(author_email) = $2',
    values,
  )
  await pg.query(
    'update comments set author_email = null where project_id = $1 and lower(author_email) = $2',
    values,
  )
}

/** The mailbox of a link in an email. Undefined: the portal or the address was deleted. */
export async function findNotificationMailbox(
  pg: Database,
  { projectId, addressId }: { projectId: string; addressId: string },
): Promise<{ projectId: string; key: string; portalName: string } | undefined> {
  const { rows } = await pg.query<{ projectId: string; key: string; portalName: string }>(
    `select p.id "projectId", a.email_key key, coalesce(nullif(s.branding->>'title', ''), p.name) "portalName"
     from projects p join addresses a on a.organization_id = p.organization_id
     left join portal_settings s on s.project_id = p.id
     where p.id = $1 and a.id = $2`,
    [projectId, addressId],
  )
  return rows[0]
}
