/** Counts the emails that wait, for metrics. One mail process does it for all. */
import type { Pool } from '#platform/postgres.ts'

/** Emails of a lane are counted up to this number. */
const countMax = 100_000

export const mailLanes = ['urgent', 'notifications', 'campaigns'] as const
export type MailLane = (typeof mailLanes)[number]

export interface WaitingEmails {
  readonly lane: MailLane
  readonly waiting: number
  /** Seconds since the oldest of them was created, or its campaign began; 0 if none waits. */
  readonly oldestSeconds: number
}

/**
 * Whether this process has the smallest lock of all mail processes (workers/mail/mail-session.ts), so that
 * exactly one reports.
 */
export async function isFirstMailProcess(pg: Pool, processId: string): Promise<boolean> {
  const { rows } = await pg.query<{ isFirst: boolean }>(
    `select min(l.objid::bigint) is not distinct from (hashtext($1::uuid::text)::bigint & 4294967295) as "isFirst"
       from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and l.classid = 8037
        and l.objsubid = 2 and l.granted`,
    [processId],
  )
  return rows[0]?.isFirst === true
}

/**
 * Due emails only: one that a mail server deferred waits for its next attempt, and one of a paused
 * campaign for a person. All parts read an index of queued emails.
 */
export async function countWaitingEmails(pg: Pool): Promise<WaitingEmails[]> {
  const { rows } = await pg.query<WaitingEmails>(
    `select 'urgent' as lane, ${sendsWaiting('0, 1')} as waiting,
       ${secondsSince(`least(${oldestSend(0)}, ${oldestSend(1)})`)} as "oldestSeconds"
     union all
     select 'notifications', ${sendsWaiting('2')}, ${secondsSince(oldestSend(2))}
     union all
     select 'campaigns', coalesce(sum(waiting), 0)::bigint,
       ${secondsSince('min(sent_at) filter (where waiting > 0)')}
     from (
       select c.sent_at, (
         select count(*) from (
           select from deliveries d where d.campaign_id = c.id and d.state = 'queued'
             and (d.not_before is null or d.not_before <= now()) limit ${countMax}
         ) due
       ) as waiting
       from campaigns c where c.state = 'sending' order by c.sent_at limit 100
     ) running`,
  )
  return rows
}

function sendsWaiting(priorities: string): string {
  return `(select count(*) from (
    select from sends where state = 'queued' and priority in (${priorities}) and not_before <= now() limit ${countMax}
  ) due)`
}

function oldestSend(priority: number): string {
  return `(select created_at from sends where state = 'queued' and priority = ${priority} and not_before <= now()
    order by not_before limit 1)`
}

function secondsSince(time: string): string {
  return `coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`
}
