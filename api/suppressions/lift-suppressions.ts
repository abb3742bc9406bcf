/**
 * Lifts suppressions in bulk, as after a provider reported its own policy as a hard bounce. A batch is a transaction with its own
 * audit entry, so that what was lifted is on record wherever a request ends.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { BulkLift, BulkLiftResult } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Postgres } from '../database.ts'
import { viaOf } from './change-suppression.ts'
import { countMatching, liftMatching, type SuppressionFilter } from './suppression-store.ts'

const batchSize = 1_000
/** One request; what is left over is said in the reply. */
const batchesMax = 20

export async function liftSuppressions(
  pg: Postgres,
  { actor, lift, now }: { actor: Actor; lift: BulkLift; now: Date },
): Promise<BulkLiftResult> {
  if (lift.cause === 'complaint' && lift.complaint !== true) {
    throw new CodedError('conflict', {
      message:
        'These people reported an email as spam. Lift complaints only if they asked for it, and say so: complaint.',
      details: [{ field: 'complaint', rule: 'must be true to lift complaints' }],
    })
  }
  const filter = filterOf(actor, lift, now)
  const matched = await countMatching(pg, filter)
  if (lift.dryRun) return { dryRun: true, matched, lifted: 0, remaining: matched }
  let lifted = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const count = await liftBatch(pg, { actor, lift, now, filter })
    lifted += count
    if (count < batchSize) break
  }
  return { dryRun: false, matched, lifted, remaining: await countMatching(pg, filter) }
}

/** What is suppressed while this runs stays out: the range ends now at the latest. */
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
  pg: Postgres,
  parts: { actor: Actor; lift: BulkLift; now: Date; filter: SuppressionFilter },
): Promise<number> {
  const { actor, lift, now, filter } = parts
  const { reason } = lift
  return pg.transaction(async (client) => {
    const most = batchSize
    const via = viaOf(actor)
    const count = await liftMatching(client, filter, { reason, via, now, most })
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
