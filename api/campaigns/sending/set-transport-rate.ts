import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { setTransportRate as storeTransportRate } from './delivery-store.ts'

/**
 * Limits all campaigns of the installation together, in emails per second; null removes the limit.
 */
export async function setTransportRate(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { ratePerSecond }: { readonly ratePerSecond: number | null },
): Promise<{ ratePerSecond: number | null }> {
  return ctx.pg.transaction(async (pg) => {
    await storeTransportRate(pg, ratePerSecond)
    await addAudit(pg, actor, {
      action: 'transport.rate_changed',
      subjectType: 'transport',
      details: { ratePerSecond },
    })
    return { ratePerSecond }
  })
}
