/** First attempts of all campaigns in turn, so that none waits for the end of another. */
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { CampaignRun, CampaignRuns } from '../campaign-runs.ts'
import { type DomainHolds, domainOf } from '../domain-holds.ts'
import type { EmailEnds } from '../email-ends.ts'
import { describeAttempt } from '../ledger/describe-attempt.ts'
import type { DeliveryResult } from '../ledger/mail-delivery-store.ts'
import { takeTokens, transportName } from '../mail-transport-store.ts'
import type { WireJob } from '../smtp/smtp-pool.ts'
import type { BlockLedger, MarkedEmail } from './block-lane.ts'
import {
  type AcceptedDelivery,
  type BlockDelivery,
  type ClaimedBlock,
  claimBlock,
  deferOfBlock,
  finishBlocks,
  markOfBlock,
  releaseBlock,
  skipObstacles,
} from './delivery-block-store.ts'

export interface BlockLedgerOptions {
  readonly pg: Pool
  readonly processId: string
  readonly leaseMs: number
  readonly claimsMax: number
  readonly clock: Clock
  readonly runs: CampaignRuns
  readonly holds: DomainHolds
  readonly ends: EmailEnds
  readonly compose: (run: CampaignRun, delivery: BlockDelivery) => ReturnType<WireJob['compose']>
  readonly accepted: Results<AcceptedResult>
  readonly results: Results<BlockResult>
  readonly rate: () => number | undefined
}

interface Results<Result> {
  readonly add: (result: Result) => void
  readonly isFull: boolean
}

export interface AcceptedResult extends AcceptedDelivery {
  readonly email: MarkedEmail
}

/** `email`: it is in a block, and its lane is told when the result is stored. */
export interface BlockResult extends DeliveryResult {
  readonly email?: MarkedEmail
}

const throttledWaitMs = 100
/**
 * With a rate limit, at most what can be sent within this time is claimed, so that no lease ends
 * while emails wait.
 */
const claimSecondsMax = 5
/** Attempts of emails in a block are their first. */
const firstAttempt = 1

export function blockLedger(options: BlockLedgerOptions): BlockLedger {
  const { pg, processId, leaseMs, runs, results, accepted } = options

  const claimOf = async (run: CampaignRun): Promise<ClaimedBlock | undefined> => {
    const rate = Math.min(
      options.rate() ?? Number.POSITIVE_INFINITY,
      run.rateMax ?? Number.POSITIVE_INFINITY,
    )
    const allowed = Math.floor(
      Math.min(options.claimsMax, Math.max(1, rate * claimSecondsMax), run.allowedNow()),
    )
    if (allowed < 1) return undefined
    const claim = { campaignId: run.id, processId, leaseMs, deliveriesMax: allowed }
    return claimBlock(pg, claim)
  }
  const withoutHeld = async (block: ClaimedBlock): Promise<ClaimedBlock> => {
    const held = new Map<string, number>()
    for (const { contactId, email } of block.deliveries) {
      const seconds = options.holds.heldSeconds(domainOf(email))
      if (seconds > 0) held.set(contactId, seconds)
    }
    if (held.size === 0) return block
    const contactIds = [...held.keys()]
    const delaySeconds = [...held.values()]
    await deferOfBlock(pg, { processId, blockId: block.id, contactIds, delaySeconds })
    const deliveries = block.deliveries.filter(({ contactId }) => !held.has(contactId))
    if (deliveries.length === 0) await finishBlocks(pg, { processId, blockIds: [block.id] })
    return { ...block, deliveries }
  }

  return {
    claim: async () => {
      for (let run = runs.nextOfBlocks(); run !== undefined; run = runs.nextOfBlocks()) {
        const claimed = await claimOf(run)
        if (claimed === undefined) {
          run.restBlocks()
          continue
        }
        const block = await withoutHeld(claimed)
        if (block.deliveries.length === 0) continue
        run.inHand += block.deliveries.length
        return { run, block }
      }
      return undefined
    },
    grant: async (run, count) => {
      let granted = count
      if (options.rate() !== undefined) {
        granted = await takeTokens(pg, { transport: transportName, wanted: count, always: false })
      }
      if (granted > 0 && run.bucket !== undefined) {
        granted = await takeTokens(pg, { transport: run.bucket, wanted: granted, always: false })
        if (granted === 0) run.restBlocks()
        return { count: granted, waitMs: throttledWaitMs, gives: granted === 0 }
      }
      return { count: granted, waitMs: throttledWaitMs, gives: false }
    },
    mark: ({ id: blockId }, deliveries, open) =>
      markOfBlock(pg, { processId, leaseMs, blockId, deliveries, open }),
    skip: ({ id: blockId }, contactIds) => skipObstacles(pg, { processId, blockId, contactIds }),
    release: ({ id: blockId }) => releaseBlock(pg, { processId, blockId }),
    finish: (blockIds) => finishBlocks(pg, { processId, blockIds }),
    compose: ({ block, delivery }) => options.compose(block.run, delivery),
    settle: (email, outcome, session) => {
      const { run } = email.block
      const { contactId, addressId, email: address } = email.delivery
      const campaignId = run.id
      const end = options.ends.of(outcome, {
        attempt: firstAttempt,
        domain: domainOf(address),
        addressId,
        emailRef: () => formatEmailRef({ kind: 'delivery', campaignId, contactId }),
        campaignId,
      })
      const { state, reason, delaySeconds } = end
      const about = { state, no: firstAttempt, nowMs: options.clock.nowMs(), session }
      const attemptEntry = describeAttempt(outcome, about)
      const ids = { campaignId, contactId, addressId }
      run.inHand -= 1
      run.ended(end)
      if (outcome.kind === 'taken' && attemptEntry !== undefined) {
        accepted.add({ ...ids, email, markedAt: email.markedAt, attemptEntry })
        return
      }
      const result = { ...ids, attempt: firstAttempt, state, reason, delaySeconds, attemptEntry }
      results.add({ ...result, email })
    },
    isFull: () => results.isFull || accepted.isFull,
  }
}
