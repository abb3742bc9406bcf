/** The queue of single emails: claim, mark, settle, recover. */
import type { Pool } from '#platform/postgres.ts'
import type { StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { entryJson } from './mail-delivery-store.ts'

export interface ClaimedSend {
  readonly id: string
  readonly attempt: number
  /** Number of attempts so far. */
  readonly tries: number
  readonly organization_id: string
  readonly address_id: string
  readonly kind: string
  readonly priority: number
  readonly from_address: string
  readonly from_name: string | null
  readonly reply_to: string | null
  readonly to_address: string
  readonly to_name: string | null
  readonly subject: string
  readonly html: string | null
  readonly text: string
  /**
   * Text and HTML sealed under SLUICE_SECRET (schemas/mail/email-body.ts); null if the row holds
   * them.
   */
  readonly sealed_body: Buffer | null
  readonly headers: Readonly<Record<string, string>>
}

export interface SendResult {
  readonly id: string
  readonly addressId: string
  readonly attempt: number
  readonly state: 'sent' | 'failed' | 'skipped' | 'uncertain' | 'queued' | 'released'
  readonly reason: string | null
  /** Delay until the next attempt, if the email is queued again. */
  readonly delaySeconds: number
  /** Undefined: it was not tried. */
  readonly attemptEntry?: StoredAttempt | undefined
}

/**
 * Sluice's own emails (password links, invitations, warnings to owners) are stopped only by a
 * mailbox that does not exist: a complaint about a newsletter says nothing about them.
 */
const maySend = `(a.suppressed_at is null or (s.kind = 'system' and a.suppression_cause <> 'hard'))`

/** Sluice's own emails and those of portals are sent from MAIL_FROM, which the operator chooses. */
const isUnverified = `(s.kind not in ('system', 'notice')
  and from_domain_state(s.organization_id, domain_of_address(s.from_address)) = 'unknown')`

/** Claims the most urgent emails first. */
export async function claimSends(
  pg: Pool,
  claim: { processId: string; leaseMs: number; sendsMax: number; priorities: readonly number[] },
): Promise<ClaimedSend[]> {
  const { rows } = await pg.query<ClaimedSend>(
    `with picked as (
       select id from sends where state = 'queued' and not_before <= now() and priority = any($4::int[])
       order by priority, not_before limit $3 for update skip locked
     )
     update sends s set state = 'claimed', attempt = s.attempt + 1, claimed_by = $1,
         lease_until = now() + $2 * interval '1 millisecond'
       from picked p where s.id = p.id
       returning s.id, s.attempt, s.tries, s.organization_id, s.address_id, s.kind, s.priority, s.from_address, s.from_name, s.reply_to,
         s.to_address, s.to_name, s.subject, s.html, s.text, s.sealed_body, s.headers`,
    [claim.processId, claim.leaseMs, claim.sendsMax, claim.priorities],
  )
  return rows.sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
}

export interface FromDomain {
  readonly organizationId: string
  readonly domain: string
}

/**
 * Marks the emails that may be sent now, and returns the From domains among them that are neither
 * verified nor allowed. The others were suppressed meanwhile, have such a domain, or were recovered
 * by another process; `skipSends` and `holdUnverifiedSends` settle them.
 */
export async function markSends(
  pg: Pool,
  mark: SendGroup & { leaseMs: number; allowUnverifiedFrom: boolean },
): Promise<{ marked: ReadonlySet<string>; unverified: readonly FromDomain[] }> {
  const { rows } = await pg.query<FromDomain & { id: string; isUnverified: boolean }>(
    `update sends s set state = 'handed_over', tries = s.tries + 1, handed_over_at = now(), lease_until = now() + $2 * interval '1 millisecond'
       from unnest($3::uuid[], $4::int[]) g (id, attempt), addresses a
       where s.id = g.id and s.attempt = g.attempt and s.state = 'claimed' and s.claimed_by = $1
         and a.id = s.address_id and ${maySend} and ($5 or not ${isUnverified})
       returning s.id, s.organization_id as "organizationId", domain_of_address(s.from_address) as domain,
         $5 and ${isUnverified} as "isUnverified"`,
    [mark.processId, mark.leaseMs, mark.ids, mark.attempts, mark.allowUnverifiedFrom],
  )
  const marked = new Set(rows.map((row) => row.id))
  return { marked, unverified: rows.filter((row) => row.isUnverified) }
}

export interface SendGroup {
  readonly processId: string
  readonly ids: readonly string[]
  readonly attempts: readonly number[]
}

/**
 * Emails that were claimed and not marked because their From domain is neither verified nor
 * allowed. They wait, because both can be fixed, and fail once they are a day old.
 */
export async function holdUnverifiedSends(pg: Pool, group: SendGroup): Promise<FromDomain[]> {
  const { rows } = await pg.query<FromDomain>(
    `update sends s set reason = 'from_not_verified: ' || domain_of_address(s.from_address), lease_until = null,
         state = case when s.created_at < now() - interval '1 day' then 'failed' else 'queued' end,
         finished_at = case when s.created_at < now() - interval '1 day' then now() end,
         sealed_body = case when s.created_at < now() - interval '1 day' then null else s.sealed_body end,
         not_before = now() + interval '5 minutes'
       from unnest($2::uuid[], $3::int[]) g (id, attempt), addresses a
       where s.id = g.id and s.attempt = g.attempt and s.state = 'claimed' and s.claimed_by = $1
         and a.id = s.address_id and ${maySend} and ${isUnverified}
       returning s.organization_id as "organizationId", domain_of_address(s.from_address) as domain`,
    [group.processId, group.ids, group.attempts],
  )
  return rows
}

/** Emails that were claimed and not marked because their mailbox is suppressed. */
export async function skipSends(pg: Pool, skip: SendGroup): Promise<void> {
  await pg.query(
    `update sends s set state = 'skipped', reason = 'suppressed: ' || a.suppression_cause, lease_until = null, finished_at = now(),
         sealed_body = null
       from unnest($2::uuid[], $3::int[]) g (id, attempt), addresses a
       where s.id = g.id and s.attempt = g.attempt and s.state = 'claimed' and s.claimed_by = $1
         and a.id = s.address_id and not ${maySend}`,
    [skip.processId, skip.ids, skip.attempts],
  )
}

export async function settleSends(
  pg: Pool,
  { processId, results }: { processId: string; results: readonly SendResult[] },
): Promise<void> {
  await pg.query(
    `with results as (
       select * from unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::float8[], $7::jsonb[]) r (id, attempt, state, reason, delay, entry)
     ), changed as (
       update sends s set reason = r.reason, lease_until = null, attempt_log = add_attempt(s.attempt_log, r.entry),
           state = case when r.state = 'released' then 'queued' else r.state end,
           tries = s.tries - case when r.state = 'released' and s.state <> 'claimed' then 1 else 0 end,
           not_before = case when r.state in ('queued', 'released') then now() + r.delay * interval '1 second' else s.not_before end,
           finished_at = case when r.state in ('queued', 'released') then null else now() end,
           sealed_body = case when r.state in ('queued', 'released', 'uncertain') then s.sealed_body end
         from results r
         where s.id = r.id and s.attempt = r.attempt and s.claimed_by = $1
           and s.state in ('claimed', 'handed_over', 'uncertain')
         returning s.address_id, s.state
     )
     update addresses a set last_sent_at = now()
       where a.id in (select address_id from changed where state = 'sent')`,
    [
      processId,
      results.map((result) => result.id),
      results.map((result) => result.attempt),
      results.map((result) => result.state),
      results.map((result) => result.reason),
      results.map((result) => result.delaySeconds),
      results.map((result) => entryJson(result.attemptEntry)),
    ],
  )
}

/**
 * Recovers emails of lost processes: what was not handed over is queued again, the rest is
 * uncertain.
 */
export async function recoverSends(pg: Pool): Promise<{ requeued: number; uncertain: number }> {
  const { rows } = await pg.query<{ state: string }>(
    `update sends s set lease_until = null, state = case when s.state = 'claimed' then 'queued' else 'uncertain' end,
         reason = case when s.state = 'claimed' then s.reason else 'process_lost' end,
         finished_at = case when s.state = 'claimed' then null else now() end
       where s.id in (
         select id from sends where state in ('claimed', 'handed_over')
           and (lease_until < now() or (state = 'claimed' and not is_mail_process_alive(claimed_by)))
         limit 10000 for update skip locked)
       returning s.state`,
  )
  const requeued = rows.filter((row) => row.state === 'queued').length
  return { requeued, uncertain: rows.length - requeued }
}
