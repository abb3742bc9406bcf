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
 * Whether this process has the smallest lock of all mail processes (workers/mail/mail-session.ts),
 * so that exactly one reports.
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
 * Due emails and those that a process has claimed and not transferred, which is where emails are
 * while the mail server is away. One that a mail server deferred waits for its next attempt, and
 * one of a paused campaign for a person. First attempts that wait in blocks are what the counts of
 * the campaign have beside the rows that are queued or leased. All parts read an index.
 */
export async function countWaitingEmails(pg: Pool): Promise<WaitingEmails[]> {
  const { rows } = await pg.query<WaitingEmails>(
    `with leased as materialized (
       select campaign_id, count(*) as count, count(*) filter (where state = 'claimed') as claimed
         from deliveries where lease_until is not null group by 1
     ), running as (
       select c.sent_at, coalesce(l.claimed, 0) + due.count
           + greatest(0, coalesce(n.waiting, 0) - coalesce(l.count, 0) - queued.count) as waiting
       from campaigns c left join campaign_counts n on n.campaign_id = c.id left join leased l on l.campaign_id = c.id
         cross join lateral (
           select count(*) from (
             select from deliveries d where d.campaign_id = c.id and d.state = 'queued'
               and (d.not_before is null or d.not_before <= now()) limit ${countMax}
           ) first) due
         cross join lateral (
           select count(*) from (
             select from deliveries d where d.campaign_id = c.id and d.state = 'queued' limit ${countMax}
           ) first) queued
         where c.state = 'sending' order by c.sent_at limit 100
     )
     select 'urgent' as lane, ${sendsWaiting([0, 1])} as waiting, ${oldestSend([0, 1])} as "oldestSeconds"
     union all
     select 'notifications', ${sendsWaiting([2])}, ${oldestSend([2])}
     union all
     select 'campaigns', coalesce(sum(waiting), 0)::bigint,
       ${secondsSince('min(sent_at) filter (where waiting > 0)')}
     from running`,
  )
  return rows
}

function sendsWaiting(priorities: readonly number[]): string {
  const list = priorities.join(', ')
  return `(select count(*) from (
      select from sends where state = 'queued' and priority in (${list}) and not_before <= now() limit ${countMax}
    ) due) + (select count(*) from sends where state = 'claimed' and priority in (${list}))`
}

function oldestSend(priorities: readonly number[]): string {
  const claimed = `(select min(created_at) from sends where state = 'claimed' and priority in (${priorities.join(', ')}))`
  const queued = priorities.map(
    (priority) => `(select created_at from sends where state = 'queued' and priority = ${priority}
      and not_before <= now() order by not_before limit 1)`,
  )
  return secondsSince(`least(${[claimed, ...queued].join(', ')})`)
}

function secondsSince(time: string): string {
  return `coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`
}
