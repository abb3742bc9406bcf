/**
 * Lifts suppressions in bulk, for example after a provider reported its own policy as a hard
 * bounce. Each batch is one transaction with its own audit entry, so a request that ends early
 * leaves an exact record of what it lifted.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { BulkLift, BulkLiftResult } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { changeOrigin } from '../contacts/change-origin.ts'
import type { ApiContext } from '../context.ts'
import { countMatching, liftMatching, type SuppressionFilter } from './suppression-store.ts'

const suppressionsPerBatchMax = 1_000
/** Batches of one call. The result counts the suppressions that remain. */
const batchesMax = 20

export async function liftMatchingSuppressions(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  lift: BulkLift,
): Promise<BulkLiftResult> {
  if (lift.cause === 'complaint' && lift.complaint !== true) {
    throw new CodedError('conflict', {
      message:
        'These people reported an email as spam. If they asked for emails again, set `complaint` to true.',
      details: [{ field: 'complaint', rule: 'must be true to lift complaints' }],
    })
  }
  const now = new Date(ctx.clock.nowMs())
  const filter = filterOf(actor, lift, now)
  const matched = await countMatching(ctx.pg, filter)
  if (lift.dryRun) return { dryRun: true, matched, lifted: 0, remaining: matched }
  let lifted = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const count = await liftBatch(ctx, actor, { reason: lift.reason, filter, now })
    lifted += count
    if (count < suppressionsPerBatchMax) break
  }
  return { dryRun: false, matched, lifted, remaining: await countMatching(ctx.pg, filter) }
}

/** The range ends now at the latest, so addresses suppressed during the call stay suppressed. */
function filterOf({ organizationId }: Actor, lift: BulkLift, now: Date): SuppressionFilter {
  const nextMs = now.getTime() + 1
  const toMs = lift.to ? Math.min(Date.parse(lift.to), nextMs) : nextMs
  return {
    organizationId,
    causes: lift.cause ? [lift.cause] : ['hard', 'soft_run'],
    source: lift.source ?? null,
    from: lift.from ? new Date(lift.from) : null,
    to: new Date(toMs),
  }
}

function liftBatch(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { reason, filter, now }: { reason: string; filter: SuppressionFilter; now: Date },
): Promise<number> {
  return ctx.pg.transaction(async (client) => {
    const count = await liftMatching(client, filter, {
      reason,
      via: changeOrigin(actor),
      now,
      most: suppressionsPerBatchMax,
    })
    if (count > 0) {
      const { causes, source, from, to } = filter
      await addAudit(client, actor, {
        action: 'suppression.lifted_in_bulk',
        subjectType: 'address',
        details: { reason, causes, source, from, to, count },
      })
    }
    return count
  })
}
