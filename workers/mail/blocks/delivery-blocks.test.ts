/** The ledger of first attempts: no email leaves twice, none is lost, and the counts add up. */
import pgDriver from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { seededRandom } from '../../../bench/load/random.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  readAccounting,
  recount,
} from '../../../test/mailkill/mail-fixture.ts'
import { prepareStep } from '../ledger/mail-campaign-store.ts'
import {
  claimDeliveries,
  type DeliveryResult,
  recoverDeliveries,
  settleDeliveries,
} from '../ledger/mail-delivery-store.ts'
import {
  type BlockDelivery,
  type ClaimedBlock,
  claimBlock,
  finishBlocks,
  markOfBlock,
  releaseBlock,
  settleAccepted,
  skipObstacles,
} from './delivery-block-store.ts'

let pg: Pool
let postgresUrl: string
usePostgres((fixture) => {
  pg = fixture.pg
  postgresUrl = fixture.stores.postgresUrl
})

const leaseMs = 60_000
let campaignId: string
const sessions: pgDriver.Client[] = []

beforeEach(async () => {
  const tenant = await addMailTenant(pg)
  await addContacts(pg, tenant, { count: 1_200 })
  campaignId = await addCampaign(pg, tenant)
  while ((await prepareStep(pg, campaignId)) === 'more');
})
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
})

/** A process that runs: it holds its lock. */
async function startProcess(): Promise<string> {
  const id = uuidv7()
  const session = new pgDriver.Client({ connectionString: postgresUrl })
  await session.connect()
  sessions.push(session)
  await session.query('select pg_advisory_lock(8037, hashtext($1::uuid::text))', [id])
  return id
}

async function claimed(processId: string, deliveriesMax = 500): Promise<ClaimedBlock> {
  const block = await claimBlock(pg, { campaignId, processId, leaseMs, deliveriesMax })
  if (block === undefined) throw new Error('no block waits')
  return block
}

function mark(
  processId: string,
  { id }: ClaimedBlock,
  deliveries: readonly BlockDelivery[],
  open = deliveries,
): Promise<boolean> {
  const contactIds = open.map(({ contactId }) => contactId)
  const lists = new Map([[id, contactIds]])
  return markOfBlock(pg, { processId, leaseMs, blockId: id, deliveries, open: lists })
}

const attemptEntry = { no: 1, at: '2026-11-28T00:00:00.000Z', result: 'sent', text: '' } as const

function acceptedOf(deliveries: readonly BlockDelivery[]) {
  const markedAt = new Date()
  return deliveries.map((one) => ({ ...one, campaignId, markedAt, attemptEntry }))
}

function resultOf(one: BlockDelivery, state: DeliveryResult['state']): DeliveryResult {
  const { contactId, addressId } = one
  return { campaignId, contactId, addressId, attempt: 1, state, reason: 'x', delaySeconds: 0 }
}

async function endLeases(): Promise<void> {
  await pg.query(
    "update delivery_blocks set lease_until = now() - interval '1 second' where claimed_by is not null and campaign_id = $1",
    [campaignId],
  )
}

/** Campaigns of other tests are recovered, too. */
async function recovered() {
  return (await recoverDeliveries(pg)).filter((one) => one.campaign_id === campaignId)
}

async function stateOf(contactId: string) {
  const { rows } = await pg.query(
    'select state, reason, attempt, tries, claimed_by as process from deliveries where campaign_id = $1 and contact_id = $2',
    [campaignId, contactId],
  )
  return rows[0]
}

async function expectBalance(): Promise<void> {
  const accounting = await readAccounting(pg, campaignId)
  const counted = await recount(pg, campaignId)
  for (const name of ['waiting', 'sent', 'failed', 'skipped', 'uncertain', 'cancelled'] as const) {
    expect([name, accounting[name]]).toEqual([name, counted[name] ?? 0])
  }
  expect(accounting.audience).toBe(1_200)
}

test('every delivery is claimed by one process, in the order of contacts', async () => {
  const [one, two] = [await startProcess(), await startProcess()]
  const blocks = [
    await claimed(one),
    await claimed(two, 70),
    await claimed(one, 70),
    await claimed(two),
    await claimed(one),
  ]
  const ids = blocks.flatMap(({ deliveries }) => deliveries.map(({ contactId }) => contactId))
  expect(blocks.map(({ deliveries }) => deliveries.length)).toEqual([500, 70, 70, 360, 200])
  expect(ids).toEqual([...new Set(ids)].sort())
  expect(await claimBlock(pg, { campaignId, processId: one, leaseMs, deliveriesMax: 500 })).toBe(
    undefined,
  )
  await expectBalance()
})

test('an earlier version neither claims nor recovers what is in blocks', async () => {
  const processId = await startProcess()
  const claim = { campaignId, processId, leaseMs, deliveriesMax: 2_000 }
  expect(await claimDeliveries(pg, claim)).toEqual({ claimed: [], skipped: [] })
  await recoverDeliveries(pg)
  expect((await claimed(processId)).deliveries).toHaveLength(500)
})

test('deliveries that an earlier version inserts are claimed row by row', async () => {
  const processId = await startProcess()
  await pg.query('delete from delivery_blocks where campaign_id = $1', [campaignId])
  await pg.query("update deliveries set state = 'queued' where campaign_id = $1", [campaignId])
  const claim = { campaignId, processId, leaseMs, deliveriesMax: 2_000 }
  expect((await claimDeliveries(pg, claim)).claimed).toHaveLength(1_200)
})

test('a mark belongs to the process that holds the block, and is not repeated', async () => {
  const [one, two] = [await startProcess(), await startProcess()]
  const block = await claimed(one)
  const first = block.deliveries.slice(0, 10)
  expect(await mark(two, block, first)).toBe(false)
  expect(await mark(one, block, first)).toBe(true)
  expect(await mark(one, block, first)).toBe(false)
  expect(await mark(one, block, block.deliveries.slice(10, 20))).toBe(true)
})

test.each([
  ['unsubscribed', "update contacts set status = 'unsubscribed' where id = $1", 'unsubscribed'],
  [
    'suppressed',
    `update addresses set suppressed_at = now(), suppression_cause = 'hard'
       where id = (select address_id from contacts where id = $1)`,
    'suppressed: hard',
  ],
  ['erased', 'delete from contacts where id = $1', 'erased'],
])('a contact that is %s after the claim is skipped, and the others are sent', async (...row) => {
  const [, change, reason] = row
  const processId = await startProcess()
  const block = await claimed(processId)
  const group = block.deliveries.slice(0, 5)
  const contactId = group[2]!.contactId
  await pg.query(change, [contactId])
  expect(await mark(processId, block, group)).toBe(false)
  const contactIds = group.map((one) => one.contactId)
  const left = await skipObstacles(pg, { processId, blockId: block.id, contactIds })
  expect(left).toEqual(new Set(contactIds.filter((id) => id !== contactId)))
  expect(await stateOf(contactId)).toMatchObject({ state: 'skipped', reason, tries: 0 })
  const others = group.filter((one) => one.contactId !== contactId)
  expect(await mark(processId, block, others)).toBe(true)
  await expectBalance()
})

test('a contact that is suppressed before the claim is skipped by it', async () => {
  const processId = await startProcess()
  await pg.query(
    `update addresses set suppressed_at = now(), suppression_cause = 'complaint' where id in
       (select address_id from deliveries where campaign_id = $1 order by contact_id limit 600)`,
    [campaignId],
  )
  expect((await claimed(processId)).deliveries).toHaveLength(400)
  expect(await readAccounting(pg, campaignId)).toMatchObject({ skipped: 600, waiting: 600 })
  await expectBalance()
})

test.each(['paused', 'cancelled'])('nothing of a %s campaign is marked', async (state) => {
  const processId = await startProcess()
  const block = await claimed(processId)
  const group = block.deliveries.slice(0, 5)
  await pg.query('update campaigns set state = $2 where id = $1', [campaignId, state])
  expect(await mark(processId, block, group)).toBe(false)
  const contactIds = group.map(({ contactId }) => contactId)
  expect(await skipObstacles(pg, { processId, blockId: block.id, contactIds })).toBeUndefined()
})

test('of a lost process, others claim at once what is not marked; the rest waits for the lease', async () => {
  const lost = uuidv7()
  const block = await claimed(lost)
  const marked = block.deliveries.slice(0, 20)
  const open = marked.slice(12)
  expect(await mark(lost, block, marked, open)).toBe(true)
  await settleAccepted(pg, { processId: lost, accepted: acceptedOf(marked.slice(0, 4)) })
  expect(await recovered()).toMatchObject([{ requeued: 480, uncertain: 0 }])
  expect(await recovered()).toEqual([])
  expect(await mark(lost, block, block.deliveries.slice(20, 30))).toBe(false)
  const other = await startProcess()
  const rest = [await claimed(other), await claimed(other), await claimed(other)]
  const ids = new Set(rest.flatMap(({ deliveries }) => deliveries.map((one) => one.contactId)))
  expect(ids.size).toBe(1_180)
  expect(marked.some(({ contactId }) => ids.has(contactId))).toBe(false)
  await pg.query(
    "update delivery_blocks set lease_until = now() - interval '1 second' where claimed_by = $1",
    [lost],
  )
  expect(await recovered()).toMatchObject([{ requeued: 0, uncertain: 8 }])
  expect(await readAccounting(pg, campaignId)).toMatchObject({ sent: 12, uncertain: 8 })
  const uncertain = { state: 'uncertain', reason: 'process_lost', attempt: 1, process: lost }
  expect(await stateOf(open[0]!.contactId)).toMatchObject(uncertain)
  expect(await stateOf(marked[8]!.contactId)).toMatchObject({ state: 'sent', tries: 1 })
  await expectBalance()
  // The process was not lost, only slow: what it knows is better than "uncertain".
  expect(await settleAccepted(pg, { processId: lost, accepted: acceptedOf(open) })).toBe(false)
  const results = open.map((one) => resultOf(one, 'sent'))
  await settleDeliveries(pg, { processId: lost, results })
  expect(await readAccounting(pg, campaignId)).toMatchObject({ sent: 20, uncertain: 0 })
  await expectBalance()
})

test('a released block is claimed again from the first email that is not marked', async () => {
  const [one, two] = [await startProcess(), await startProcess()]
  const block = await claimed(one)
  const marked = block.deliveries.slice(0, 7)
  await mark(one, block, marked)
  expect(await releaseBlock(pg, { processId: two, blockId: block.id })).toBeUndefined()
  expect(await releaseBlock(pg, { processId: one, blockId: block.id })).toBe(
    marked.at(-1)?.contactId,
  )
  expect(await mark(one, block, block.deliveries.slice(7, 9))).toBe(false)
  expect((await claimed(two)).deliveries[0]).toEqual(
    expect.objectContaining({ contactId: block.deliveries[7]?.contactId }),
  )
})

test('results of a first attempt that is deferred or released let the row be claimed', async () => {
  const processId = await startProcess()
  const block = await claimed(processId)
  const [deferred, untried, failed] = block.deliveries as [
    BlockDelivery,
    BlockDelivery,
    BlockDelivery,
  ]
  const marked = [deferred, untried, failed]
  await mark(processId, block, marked)
  const results = [
    resultOf(deferred, 'queued'),
    resultOf(untried, 'released'),
    resultOf(failed, 'failed'),
  ]
  await settleDeliveries(pg, { processId, results })
  await settleDeliveries(pg, { processId, results })
  expect(await stateOf(failed.contactId)).toMatchObject({ state: 'failed', tries: 1 })
  const claim = { campaignId, processId, leaseMs, deliveriesMax: 10 }
  const again = (await claimDeliveries(pg, claim)).claimed
  expect(new Map(again.map((one) => [one.contactId, [one.attempt, one.tries]]))).toEqual(
    new Map([
      [deferred.contactId, [2, 1]],
      [untried.contactId, [2, 0]],
    ]),
  )
  await expectBalance()
})

test('a block is deleted only when all of its deliveries have a result', async () => {
  const processId = await startProcess()
  const block = await claimed(processId, 10)
  const blocks = async () => {
    await finishBlocks(pg, { processId, blockIds: [block.id] })
    const { rows } = await pg.query('select from delivery_blocks where id = $1', [block.id])
    return rows.length
  }
  await mark(processId, block, block.deliveries)
  await settleAccepted(pg, { processId, accepted: acceptedOf(block.deliveries.slice(1)) })
  expect(await blocks()).toBe(1)
  await settleAccepted(pg, { processId, accepted: acceptedOf(block.deliveries) })
  expect(await blocks()).toBe(0)
  await expectBalance()
})

test('cancelling ends what waits; what is marked gets its result', async () => {
  const processId = await startProcess()
  const block = await claimed(processId)
  const marked = block.deliveries.slice(0, 5)
  await mark(processId, block, marked)
  await pg.query("update campaigns set state = 'cancelled' where id = $1", [campaignId])
  await pg.query('select cancel_deliveries($1, 10000)', [campaignId])
  expect(await readAccounting(pg, campaignId)).toMatchObject({ cancelled: 700, waiting: 500 })
  await releaseBlock(pg, { processId, blockId: block.id })
  await pg.query('select cancel_deliveries($1, 10000)', [campaignId])
  await settleAccepted(pg, { processId, accepted: acceptedOf(marked.slice(1)) })
  await settleDeliveries(pg, { processId, results: [resultOf(marked[0]!, 'queued')] })
  const ends = { cancelled: 1_196, sent: 4, waiting: 0 }
  expect(await readAccounting(pg, campaignId)).toMatchObject(ends)
  await expectBalance()
})

test('an address is updated only if its last email is a month old, or after a soft bounce', async () => {
  const processId = await startProcess()
  const block = await claimed(processId)
  const marked = block.deliveries.slice(0, 4)
  const [first, old, soft, recent] = marked.map(({ addressId }) => addressId)
  await pg.query(
    `update addresses set created_at = now() - interval '400 days',
       last_sent_at = case when id = $1 then now() - interval '40 days' else now() - interval '5 days' end,
       soft_run = case when id = $2 then 1 else 0 end,
       soft_last_at = case when id = $2 then now() - interval '1 hour' end
     where id = any($3)`,
    [old, soft, [old, soft, recent]],
  )
  await mark(processId, block, marked)
  await settleAccepted(pg, { processId, accepted: acceptedOf(marked) })
  const { rows } = await pg.query<{ id: string }>(
    "select id from addresses where id = any($1) and last_sent_at > now() - interval '1 minute'",
    [[first, old, soft, recent]],
  )
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([old, soft]))
  const proof = 'select from addresses where id = $1 and sent_since_soft_at is not null'
  expect((await pg.query(proof, [soft])).rowCount).toBe(1)
})

interface Simulated {
  id: string
  readonly session: number
  blocks: {
    claimed: ClaimedBlock
    next: number
    open: BlockDelivery[]
    notStored: DeliveryResult[]
  }[]
}

test.each([1, 2, 3, 4])('under random crashes no email leaves twice: seed %i', async (seed) => {
  const random = seededRandom(seed)
  const left = new Map<string, number>()
  const accepted = new Set<string>()
  const start = async (): Promise<Simulated> => ({
    id: await startProcess(),
    session: sessions.length - 1,
    blocks: [],
  })
  const processes = [await start(), await start(), await start()]
  for (let step = 0; step < 600; step += 1) {
    const process = processes[random.below(3)]!
    const block = process.blocks[0]
    const move = random.below(100)
    if (move < 3) {
      // It is killed; another one takes its place.
      await sessions[process.session]!.end()
      if (random.below(2) === 0) await endLeases()
      processes[processes.indexOf(process)] = await start()
    } else if (move < 8) await recoverDeliveries(pg)
    else if (move < 10) await endLeases()
    else if (block === undefined) {
      const claim = { campaignId, processId: process.id, leaseMs, deliveriesMax: 60 }
      const block = await claimBlock(pg, claim)
      if (block !== undefined) {
        process.blocks.push({ claimed: block, next: 0, open: [], notStored: [] })
      }
    } else if (move < 50 && block.next < block.claimed.deliveries.length) {
      const group = block.claimed.deliveries.slice(block.next, block.next + 1 + random.below(9))
      const open = [...block.open, ...group]
      if (await mark(process.id, block.claimed, group, open)) {
        block.open = open
        block.next += group.length
        for (const { contactId } of group) left.set(contactId, (left.get(contactId) ?? 0) + 1)
      } else process.blocks.shift()
    } else if (move < 85 && block.open.length > 0) {
      const one = block.open.splice(random.below(block.open.length), 1)[0]!
      if (random.below(8) > 0) accepted.add(one.contactId)
      const state = accepted.has(one.contactId) ? 'sent' : 'failed'
      // Only accepted emails are closed before their result is stored.
      if (state === 'failed') {
        await settleDeliveries(pg, { processId: process.id, results: [resultOf(one, state)] })
      } else block.notStored.push(resultOf(one, state))
    } else if (block.notStored.length > 0) {
      await settleDeliveries(pg, { processId: process.id, results: block.notStored.splice(0) })
    } else if (block.open.length === 0 && block.next === block.claimed.deliveries.length) {
      await finishBlocks(pg, { processId: process.id, blockIds: [block.claimed.id] })
      process.blocks.shift()
    }
    if (step % 100 === 0) await expectBalance()
  }
  await expectBalance()
  expect([...left.values()].filter((times) => times > 1)).toEqual([])
  const { rows } = await pg.query<{ id: string; state: string }>(
    "select contact_id as id, state from deliveries where campaign_id = $1 and state <> 'claimed'",
    [campaignId],
  )
  for (const { id, state } of rows) {
    if (state === 'sent') expect(accepted.has(id)).toBe(true)
    if (state === 'failed') expect(accepted.has(id)).toBe(false)
    if (state === 'queued') throw new Error('an email that left is queued again')
  }
})
