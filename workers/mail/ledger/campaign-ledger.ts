/**
 * Claims deliveries of all campaigns in turn, row by row: retries, and what people send again.
 * First attempts are claimed by block (`../blocks/block-ledger.ts`).
 */
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { type EmailRef, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { CampaignRun, CampaignRuns } from '../campaign-runs.ts'
import { type DomainHolds, domainOf } from '../domain-holds.ts'
import type { EmailEnds } from '../email-ends.ts'
import { takeTokens, transportName } from '../mail-transport-store.ts'
import { describeAttempt } from './describe-attempt.ts'
import type { Ledger } from './email-lane.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryResult,
  markDeliveries,
  readUnmarked,
} from './mail-delivery-store.ts'

export interface CampaignLedgerOptions {
  readonly pg: Pool
  readonly processId: string
  readonly leaseMs: number
  readonly clock: Clock
  readonly runs: CampaignRuns
  readonly holds: DomainHolds
  readonly ends: EmailEnds
  /** How many emails may be marked now, so that few are uncertain after a crash. */
  readonly marksNow: () => number
  /** How many emails are about to be marked, or, if negative, were not marked after all. */
  readonly onMarks: (count: number) => void
  readonly results: { readonly add: (result: DeliveryResult) => void; readonly isFull: boolean }
  readonly rate: () => number | undefined
}

export interface CampaignClaim extends ClaimedDelivery {
  readonly run: CampaignRun
}

const throttledWaitMs = 100
/** Until emails of first attempts have ended. */
const crowdedWaitMs = 5
/**
 * With a rate limit, at most what can be sent within this time is claimed, so that no lease expires
 * while emails wait.
 */
const claimSecondsMax = 5

export function campaignLedger(parts: CampaignLedgerOptions): Ledger<CampaignClaim> {
  const { pg, processId, leaseMs, results, runs } = parts
  const settle = (
    claim: ClaimedDelivery,
    end: Pick<DeliveryResult, 'state' | 'reason' | 'delaySeconds' | 'attemptEntry' | 'wasTaken'>,
  ) => {
    const { campaignId, contactId, addressId, attempt } = claim
    const { state, reason, delaySeconds, attemptEntry, wasTaken = false } = end
    const result = { state, reason, delaySeconds, attemptEntry, wasTaken }
    results.add({ campaignId, contactId, addressId, attempt, ...result })
  }
  const finish = (claim: CampaignClaim, end: Parameters<typeof settle>[1]) => {
    claim.run.inHand -= 1
    settle(claim, end)
  }
  const released = { state: 'released', reason: null, delaySeconds: 0 } as const
  const release = (claim: CampaignClaim) => finish(claim, released)

  const claimOf = async (run: CampaignRun, wanted: number): Promise<CampaignClaim[]> => {
    const rate = Math.min(
      parts.rate() ?? Number.POSITIVE_INFINITY,
      run.rateMax ?? Number.POSITIVE_INFINITY,
    )
    const allowed = Math.min(wanted, Math.max(1, rate * claimSecondsMax), run.allowedNow())
    if (allowed < 1) {
      run.rest()
      return []
    }
    const { claimed, skipped } = await claimDeliveries(pg, {
      campaignId: run.id,
      processId,
      leaseMs,
      deliveriesMax: Math.floor(allowed),
    })
    for (const one of skipped) results.add(one)
    if (claimed.length + skipped.length < Math.floor(allowed)) run.rest()
    const claims: CampaignClaim[] = []
    for (const one of claimed) {
      const heldSeconds = parts.holds.heldSeconds(domainOf(one.email))
      if (heldSeconds > 0) settle(one, { ...released, delaySeconds: heldSeconds })
      else claims.push({ ...one, run })
    }
    run.inHand += claims.length
    return claims
  }

  const markAll = async (claims: readonly CampaignClaim[]): Promise<CampaignClaim[]> => {
    const leaving: CampaignClaim[] = []
    for (const [campaignId, all] of groupByCampaign(claims)) {
      const group = await withinRate(all, pg, release)
      if (group.length === 0) continue
      const contactIds = group.map((claim) => claim.contactId)
      const attempts = group.map((claim) => claim.attempt)
      const ids = { campaignId, processId, contactIds, attempts }
      const marked = await markDeliveries(pg, { ...ids, leaseMs })
      leaving.push(...group.filter((claim) => marked.has(claim.contactId)))
      if (marked.size === group.length) continue
      const unmarked = await readUnmarked(pg, ids)
      for (const claim of group) {
        const obstacle = unmarked.get(claim.contactId)
        // Another process has recovered it and settles it.
        if (obstacle === undefined && !marked.has(claim.contactId)) claim.run.inHand -= 1
        if (obstacle === undefined) continue
        if (obstacle === null) release(claim)
        else finish(claim, { state: 'skipped', reason: obstacle, delaySeconds: 0 })
      }
    }
    return leaving
  }

  return {
    claim: async (claimsMax) => {
      const claims: CampaignClaim[] = []
      while (claims.length < claimsMax) {
        const run = runs.next()
        if (run === undefined) break
        claims.push(...(await claimOf(run, claimsMax - claims.length)))
        // One block of each campaign is enough per call.
        if (claims.length > 0) break
      }
      return claims
    },
    grant: async (wanted) => {
      const count = Math.min(wanted, parts.marksNow())
      if (count < 1) return { count: 0, waitMs: crowdedWaitMs }
      parts.onMarks(count)
      if (parts.rate() === undefined) return { count, waitMs: 0 }
      const transport = transportName
      const granted = await takeTokens(pg, { transport, wanted: count, always: false })
      parts.onMarks(granted - count)
      return { count: granted, waitMs: throttledWaitMs }
    },
    mark: async (claims) => {
      let leaving: readonly CampaignClaim[] = []
      try {
        leaving = await markAll(claims)
        return leaving
      } finally {
        parts.onMarks(leaving.length - claims.length)
      }
    },
    release,
    job: (claim, isFresh) => ({
      isFresh,
      compose: () => claim.run.compose(claim),
      settle: (outcome, session) => {
        const no = claim.tries + 1
        const end = parts.ends.of(outcome, {
          attempt: no,
          domain: domainOf(claim.email),
          addressId: claim.addressId,
          emailRef: () => formatEmailRef(refOf(claim)),
          campaignId: claim.campaignId,
        })
        const about = { state: end.state, no, nowMs: parts.clock.nowMs(), session }
        finish(claim, { ...end, attemptEntry: describeAttempt(outcome, about), wasTaken: true })
        claim.run.ended(end)
      },
    }),
    isFull: () => results.isFull,
  }
}

/** A campaign with a rate limit of its own releases what it may not send now. */
async function withinRate(
  claims: readonly CampaignClaim[],
  pg: Pool,
  release: (claim: CampaignClaim) => void,
): Promise<readonly CampaignClaim[]> {
  const bucket = claims[0]?.run.bucket
  if (bucket === undefined) return claims
  const granted = await takeTokens(pg, { transport: bucket, wanted: claims.length, always: false })
  for (const claim of claims.slice(granted)) {
    claim.run.rest()
    release(claim)
  }
  return claims.slice(0, granted)
}

function groupByCampaign(claims: readonly CampaignClaim[]): Map<string, CampaignClaim[]> {
  const groups = new Map<string, CampaignClaim[]>()
  for (const claim of claims) {
    const group = groups.get(claim.campaignId)
    if (group === undefined) groups.set(claim.campaignId, [claim])
    else group.push(claim)
  }
  return groups
}

function refOf({ campaignId, contactId }: ClaimedDelivery): EmailRef {
  return { kind: 'delivery', campaignId, contactId }
}
