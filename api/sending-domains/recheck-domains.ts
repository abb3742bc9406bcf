/**
 * Checks the DNS records of sending domains again: verified domains daily, failed ones hourly.
 * Several API processes share the work; a domain that one of them has claimed is skipped by the
 * others.
 */
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { ApiContext } from '../context.ts'
import { checkActor, checkSendingDomain } from './check-sending-domain.ts'
import { claimDueDomains } from './sending-domain-store.ts'

type RecheckContext = Pick<ApiContext, 'pg' | 'clock' | 'resolver' | 'mailSpf' | 'log'>

const intervalMs = 60_000
const claimMs = 3_600_000
/** Name servers may take seconds for each domain, so a round is bounded. */
const claimsMax = 20

export function recheckTask(ctx: RecheckContext): PeriodicTaskOptions {
  return {
    name: 'sending_domain_checks',
    intervalMs,
    first: 'now',
    run: (signal) => recheckDomains(ctx, signal),
    failure: { code: 'domain_checks_wait', text: 'Reading sending domains failed' },
  }
}

/**
 * Returns how many domains were due. Domains of a round that ends early stay claimed for an hour.
 */
export async function recheckDomains(ctx: RecheckContext, signal?: AbortSignal): Promise<number> {
  const now = new Date(ctx.clock.nowMs())
  const againAt = new Date(now.getTime() + claimMs)
  const due = await claimDueDomains(ctx.pg, { now, againAt, most: claimsMax })
  for (const { id, organizationId } of due) {
    if (signal?.aborted === true) break
    try {
      await checkSendingDomain(ctx, checkActor(organizationId), { id })
    } catch (error) {
      const about = { code: 'domain_check_failed', err: error, id }
      ctx.log.warn(about, 'The check of a sending domain failed; retrying in an hour.')
    }
  }
  return due.length
}
