/**
 * Asks the DNS about sending domains again: verified ones daily, failed ones hourly. Several API processes share the work; a domain
 * that one of them has claimed is left to it.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { type CheckContext, checkActor, checkStoredDomain } from './change-domain.ts'
import { claimDueDomains } from './sending-domain-store.ts'

const lookMs = 60_000
const claimMs = 3_600_000
/** Name servers may take seconds for each: a round ends before long. */
const claimsMax = 20

/** How many domains were due. Whoever stops in the middle leaves the rest for an hour. */
export async function recheckDomains(
  ctx: CheckContext & { readonly clock: Clock; readonly log: Logger },
  isEnding: () => boolean = () => false,
): Promise<number> {
  const now = new Date(ctx.clock.nowMs())
  const againAt = new Date(now.getTime() + claimMs)
  const due = await claimDueDomains(ctx.pg, { now, againAt, most: claimsMax })
  for (const { id, organizationId } of due) {
    if (isEnding()) break
    try {
      await checkStoredDomain(ctx, checkActor(organizationId), { id, now })
    } catch (error) {
      const about = { code: 'domain_check_failed', err: error, id }
      ctx.log.warn(about, 'A sending domain could not be checked; trying again in an hour.')
    }
  }
  return due.length
}

/** Returns what ends it. */
export function startRechecks(ctx: Parameters<typeof recheckDomains>[0]): () => Promise<void> {
  let running: Promise<void> | undefined
  let isEnding = false
  const round = () => {
    running ??= recheckDomains(ctx, () => isEnding)
      .then(
        () => undefined,
        (error: unknown) => {
          const about = { code: 'domain_checks_wait', err: error }
          ctx.log.warn(about, 'Sending domains could not be read; trying again in a minute.')
        },
      )
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(round, lookMs)
  round()
  return async () => {
    isEnding = true
    clearInterval(timer)
    await running
  }
}
