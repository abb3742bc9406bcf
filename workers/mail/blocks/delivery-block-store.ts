/**
 * The ledger of first attempts, by block (schemas/postgres/0068-delivery-blocks.sql). Claims and
 * results may be lost with the memory of the Postgres server; only the mark is on disk before
 * anything follows from it.
 */
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import type { StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { storedJson } from '#schemas/stored-text.ts'

export interface BlockDelivery {
  readonly contactId: string
  readonly addressId: string
  readonly email: string
  readonly name: string | null
  readonly attribs: Readonly<Record<string, unknown>>
}

export interface ClaimedBlock {
  readonly id: string
  /** In the order in which they are marked. */
  readonly deliveries: readonly BlockDelivery[]
}

/**
 * Claims the next deliveries of a campaign that may be sent, at most `deliveriesMax`. Undefined:
 * no block waits.
 */
export async function claimBlock(
  pg: Pool,
  claim: { campaignId: string; processId: string; leaseMs: number; deliveriesMax: number },
): Promise<ClaimedBlock | undefined> {
  const { rows } = await lightTransaction(pg, (client) =>
    client.query<BlockDelivery & { id: string }>({
      name: 'claim_delivery_block',
      text: `select block_id as id, contact_id as "contactId", address_id as "addressId", email, name, attribs
         from claim_delivery_block($1, $2, $3, $4)`,
      values: [claim.campaignId, claim.processId, claim.leaseMs, claim.deliveriesMax],
    }),
  )
  return rows[0] === undefined ? undefined : { id: rows[0].id, deliveries: rows }
}

export interface BlockMark {
  readonly processId: string
  readonly leaseMs: number
  readonly blockId: string
  /** The next deliveries of the block, in order. */
  readonly deliveries: readonly BlockDelivery[]
  /**
   * For each block whose list changes, this one included: the contacts that the mail server is not
   * known to have accepted.
   */
  readonly open: ReadonlyMap<string, readonly string[]>
}

/**
 * Marks all of the deliveries or none. None if the campaign is not sent now, another process has
 * recovered the block, or a contact must get no email any more. The same statement checks all of
 * this, so that a pause, an unsubscribe and a suppression hold from the moment they are stored.
 */
export async function markOfBlock(pg: Pool, mark: BlockMark): Promise<boolean> {
  const { blockId, deliveries, open } = mark
  const blocks: string[] = []
  const openBlocks: string[] = []
  const openContacts: string[] = []
  for (const [id, contactIds] of open) {
    blocks.push(id)
    for (const contactId of contactIds) {
      openBlocks.push(id)
      openContacts.push(contactId)
    }
  }
  const { rows } = await pg.query<{ id: string }>({
    name: 'mark_of_block',
    text: `with sendable as (
        select count(*) as count from unnest($5::uuid[], $6::uuid[]) g (contact_id, address_id)
          join contacts c on c.id = g.contact_id and c.status = 'subscribed'
          join addresses a on a.id = g.address_id and a.suppressed_at is null and a.email is not null
      )
      update delivery_blocks b set lease_until = now() + $2 * interval '1 millisecond',
          marked_at = case when b.id = $4 then now() else b.marked_at end,
          marked_up_to = case when b.id = $4 then $7 else b.marked_up_to end,
          open_contacts = array(select o.contact_id from unnest($8::uuid[], $9::uuid[]) o (block_id, contact_id) where o.block_id = b.id)
        from sendable s
        where b.id = any($3::uuid[]) and b.claimed_by = $1 and (b.id <> $4 or (
          coalesce(b.marked_up_to, b.after_contact) < $7 and $7 <= b.last_contact and s.count = cardinality($5::uuid[])
            and exists (select from campaigns c where c.id = b.campaign_id and c.state = 'sending')))
        returning b.id`,
    values: [
      mark.processId,
      mark.leaseMs,
      blocks,
      blockId,
      deliveries.map(({ contactId }) => contactId),
      deliveries.map(({ addressId }) => addressId),
      deliveries.at(-1)?.contactId,
      openBlocks,
      openContacts,
    ],
  })
  return rows.some(({ id }) => id === blockId)
}

/**
 * Skips those that must get no email any more. Resolves to the contacts that remain; undefined if
 * the process does not hold them, or the campaign is not sent now.
 */
export async function skipObstacles(
  pg: Pool,
  skip: { processId: string; blockId: string; contactIds: readonly string[] },
): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await pg.query<{ ids: string[] | null }>(
    'select skip_unmarkable($1, $2, $3) as ids',
    [skip.blockId, skip.processId, skip.contactIds],
  )
  const ids = rows[0]?.ids
  return ids === null || ids === undefined ? undefined : new Set(ids)
}

/**
 * Lets other processes claim what is not marked. Resolves to the last contact that this process has
 * marked in the block; undefined if it has marked none, or does not hold the block.
 */
export async function releaseBlock(
  pg: Pool,
  release: { processId: string; blockId: string },
): Promise<string | undefined> {
  const { rows } = await pg.query<{ markedUpTo: string | null }>(
    'select release_delivery_block($1, $2) as "markedUpTo"',
    [release.blockId, release.processId],
  )
  return rows[0]?.markedUpTo ?? undefined
}

/** Emails of a block that is not marked yet, whose domain defers emails: they wait. */
export async function deferOfBlock(
  pg: Pool,
  defer: {
    processId: string
    blockId: string
    contactIds: readonly string[]
    delaySeconds: readonly number[]
  },
): Promise<void> {
  await pg.query('select defer_of_block($1, $2, $3, $4)', [
    defer.blockId,
    defer.processId,
    defer.contactIds,
    defer.delaySeconds,
  ])
}

export async function finishBlocks(
  pg: Pool,
  finish: { processId: string; blockIds: readonly string[] },
): Promise<void> {
  await lightTransaction(pg, (client) =>
    client.query('select finish_delivery_blocks($1, $2)', [finish.blockIds, finish.processId]),
  )
}

/** An email of a block that the mail server accepted at its first attempt. */
export interface AcceptedDelivery {
  readonly campaignId: string
  readonly contactId: string
  readonly addressId: string
  readonly markedAt: Date
  readonly attemptEntry: StoredAttempt
}

/**
 * Stores emails of one campaign as sent. Resolves to false if some of them were recovered meanwhile
 * and are not stored.
 */
export async function settleAccepted(
  pg: Pool,
  { processId, accepted }: { processId: string; accepted: readonly AcceptedDelivery[] },
): Promise<boolean> {
  const { rows } = await lightTransaction(pg, (client) =>
    client.query<{ settled: number }>({
      name: 'settle_accepted_deliveries',
      text: 'select settle_accepted_deliveries($1, $2, $3, $4, $5, $6) as settled',
      values: [
        accepted[0]?.campaignId,
        processId,
        accepted.map(({ contactId }) => contactId),
        accepted.map(({ addressId }) => addressId),
        accepted.map(({ markedAt }) => markedAt),
        accepted.map(({ attemptEntry }) => storedJson(attemptEntry)),
      ],
    }),
  )
  return rows[0]?.settled === accepted.length
}

/** Does not wait for the disk. */
function lightTransaction<T>(pg: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pg, async (client) => {
    await client.query('set local synchronous_commit = off')
    return work(client)
  })
}
