/**
 * The ledger of campaign deliveries: claim, mark, settle, recover. Claims and results may be lost
 * with the memory of the Postgres server (they are repeated, or the email becomes uncertain); only
 * the mark is on disk before anything follows from it.
 */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { storedJson } from '#schemas/stored-text.ts'

export interface ClaimedDelivery {
  readonly campaignId: string
  readonly contactId: string
  readonly addressId: string
  readonly attempt: number
  /** Number of attempts so far. */
  readonly tries: number
  readonly email: string
  readonly name: string | null
  readonly attribs: Readonly<Record<string, unknown>>
}

export interface DeliveryResult {
  readonly campaignId: string
  readonly contactId: string
  readonly addressId: string
  readonly attempt: number
  readonly state: 'sent' | 'failed' | 'skipped' | 'uncertain' | 'queued' | 'released'
  readonly reason: string | null
  readonly delaySeconds: number
  /** Undefined: it was not tried. */
  readonly attemptEntry?: StoredAttempt | undefined
  /** A connection had taken it, so that it is uncertain until this is stored. */
  readonly wasTaken?: boolean
}

interface ClaimedRow {
  contact_id: string
  address_id: string
  attempt: number
  tries: number
  email: string | null
  name: string | null
  attribs: Record<string, unknown> | null
  obstacle: string | null
}

/** Claims that may be sent, and those that must be skipped with the reason. */
export async function claimDeliveries(
  pg: Pool,
  claim: { campaignId: string; processId: string; leaseMs: number; deliveriesMax: number },
): Promise<{ claimed: ClaimedDelivery[]; skipped: DeliveryResult[] }> {
  const { rows } = await inTransaction(pg, async (client) => {
    await client.query('set local synchronous_commit = off')
    return client.query<ClaimedRow>(
      `with picked as (
         select contact_id from deliveries
           where campaign_id = $1 and state = 'queued' and (not_before is null or not_before <= now())
           order by not_before nulls first limit $4 for update skip locked
       ), claimed as (
         update deliveries d set state = 'claimed', attempt = d.attempt + 1, claimed_by = $2,
             lease_until = now() + $3 * interval '1 millisecond'
           from picked p where d.campaign_id = $1 and d.contact_id = p.contact_id
           returning d.contact_id, d.address_id, d.attempt, d.tries
       )
       select d.contact_id, d.address_id, d.attempt, d.tries, a.email, c.name, c.attribs, ${obstacle} as obstacle
         from claimed d left join contacts c on c.id = d.contact_id left join addresses a on a.id = d.address_id`,
      [claim.campaignId, claim.processId, claim.leaseMs, claim.deliveriesMax],
    )
  })
  const claimed: ClaimedDelivery[] = []
  const skipped: DeliveryResult[] = []
  for (const row of rows) {
    const ids = {
      campaignId: claim.campaignId,
      contactId: row.contact_id,
      addressId: row.address_id,
      attempt: row.attempt,
    }
    if (row.obstacle === null && row.email !== null) {
      const { tries, email, name } = row
      claimed.push({ ...ids, tries, email, name, attribs: row.attribs ?? {} })
    } else {
      const reason = row.obstacle ?? 'erased'
      skipped.push({ ...ids, state: 'skipped', reason, delaySeconds: 0 })
    }
  }
  return { claimed, skipped }
}

/** Reason why a contact gets no email now; null if there is none. */
const obstacle = `case
  when a.suppressed_at is not null then 'suppressed: ' || a.suppression_cause
  when c.id is null or a.email is null then 'erased'
  when c.status <> 'subscribed' then c.status
end`

/**
 * Marks the contacts whose emails may be sent now. The same statement checks the state of the
 * campaign and of each contact, so that a pause, an unsubscribe and a suppression hold from the
 * moment they are stored. It does not check the From domain: each reading of the campaigns does,
 * and pauses a campaign whose domain was removed.
 */
export async function markDeliveries(
  pg: Pool,
  mark: DeliveryGroup & { leaseMs: number },
): Promise<ReadonlySet<string>> {
  const { rows } = await pg.query<{ contact_id: string }>(
    `update deliveries d set state = 'handed_over', tries = d.tries + 1, handed_over_at = now(), lease_until = now() + $5 * interval '1 millisecond'
       from unnest($3::uuid[], $4::int[]) g (contact_id, attempt), contacts c, addresses a
       where d.campaign_id = $1 and d.contact_id = g.contact_id and d.attempt = g.attempt and d.state = 'claimed' and d.claimed_by = $2
         and c.id = d.contact_id and c.status = 'subscribed' and a.id = d.address_id and a.suppressed_at is null
         and exists (select from campaigns where id = $1 and state = 'sending')
       returning d.contact_id`,
    [...groupValues(mark), mark.leaseMs],
  )
  return new Set(rows.map((row) => row.contact_id))
}

export interface DeliveryGroup {
  readonly campaignId: string
  readonly processId: string
  readonly contactIds: readonly string[]
  readonly attempts: readonly number[]
}

/**
 * Settles the deliveries that were not marked. Those that others have recovered are not among them.
 */
export async function readUnmarked(
  pg: Pool,
  group: DeliveryGroup,
): Promise<Map<string, string | null>> {
  const { rows } = await pg.query<{ contact_id: string; obstacle: string | null }>(
    `select d.contact_id, ${obstacle} as obstacle
       from unnest($3::uuid[], $4::int[]) g (contact_id, attempt)
         join deliveries d on d.campaign_id = $1 and d.contact_id = g.contact_id and d.attempt = g.attempt
         left join contacts c on c.id = d.contact_id left join addresses a on a.id = d.address_id
       where d.state = 'claimed' and d.claimed_by = $2`,
    groupValues(group),
  )
  return new Map(rows.map((row) => [row.contact_id, row.obstacle]))
}

function groupValues({ campaignId, processId, contactIds, attempts }: DeliveryGroup): unknown[] {
  return [campaignId, processId, contactIds, attempts]
}

/** Results of one campaign. */
export async function settleDeliveries(
  pg: Pool,
  { processId, results }: { processId: string; results: readonly DeliveryResult[] },
): Promise<void> {
  const [first] = results
  if (first === undefined) return
  await inTransaction(pg, async (client) => {
    await client.query('set local synchronous_commit = off')
    await client.query(
      'select settle_deliveries_with_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [
        first.campaignId,
        processId,
        results.map((result) => result.contactId),
        results.map((result) => result.addressId),
        results.map((result) => result.attempt),
        results.map((result) => result.state),
        results.map((result) => result.reason),
        results.map((result) => result.delaySeconds),
        results.map((result) => entryJson(result.attemptEntry)),
      ],
    )
  })
}

/** For an element of a `jsonb[]`; null adds nothing to the log. */
export function entryJson(entry: StoredAttempt | undefined): string | null {
  return entry === undefined ? null : storedJson(entry)
}

export async function recoverDeliveries(
  pg: Pool,
): Promise<{ campaign_id: string; requeued: number; uncertain: number }[]> {
  const { rows } = await pg.query<{ campaign_id: string; requeued: number; uncertain: number }>(
    'select campaign_id, requeued, uncertain from recover_deliveries()',
  )
  return rows
}
