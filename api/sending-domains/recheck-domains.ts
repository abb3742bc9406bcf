/**
 * Checks the DNS records of sending domains again: verified domains daily, failed ones hourly.
 * Several API processes share the work; a domain that one of them has claimed is skipped by the
 * others.
 */
import type { Logger } from '#platform/logger.ts'
import type { ApiContext } from '../context.ts'
import { checkActor, checkSendingDomain } from './check-sending-domain.ts'
import { claimDueDomains } from './sending-domain-store.ts'

type RecheckContext = Pick<ApiContext, 'pg' | 'clock' | 'resolver' | 'mailSpf'> & {
  readonly log: Logger
}

const intervalMs = 60_000
const claimMs = 3_600_000
/** Name servers may take seconds for each domain, so a round is bounded. */
const claimsMax = 20

/**
 * Returns how many domains were due. Domains of a round that ends early stay claimed for an hour.
 */
export async function recheckDomains(
  ctx: RecheckContext,
  isEnding: () => boolean = () => false,
): Promise<number> {
  const now = new Date(ctx.clock.nowMs())
  const againAt = new Date(now.getTime() + claimMs)
  const due = await claimDueDomains(ctx.pg, { now, againAt, most: claimsMax })
  for (const { id, organizationId } of due) {
    if (isEnding()) break
    try {
      await checkSendingDomain(ctx, checkActor(organizationId), { id })
    } catch (error) {
      const about = { code: 'domain_check_failed', err: error, id }
      ctx.log.warn(about, 'The check of a sending domain failed; retrying in an hour.')
    }
  }
  return due.length
}

/** Returns the function that stops it and waits for the running round. */
export function startRechecks(ctx: RecheckContext): () => Promise<void> {
  let running: Promise<void> | undefined
  let isEnding = false
  const round = () => {
    running ??= recheckDomains(ctx, () => isEnding)
      .then(
        () => undefined,
        (error: unknown) => {
          const about = { code: 'domain_checks_wait', err: error }
          ctx.log.warn(about, 'Sending domains could not be read; retrying in a minute.')
        },
      )
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(round, intervalMs)
  round()
  return async () => {
    isEnding = true
    clearInterval(timer)
    await running
  }
}
