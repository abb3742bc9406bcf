import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type DeliveryOwner, findOwner } from './delivery-owner-store.ts'
import {
  closeBreaker,
  enqueueDeliveries,
  lockTargetOf,
  replay,
  type StoredDelivery,
} from './delivery-store.ts'

const enabling = {
  rule: 'PATCH …/alerts/{id} with `enabled: true` in its entry of `then`',
  webhook: 'PATCH …/webhooks/{id} with `enabled: true`',
}

/** Sends a delivery again, in any state, with the same id and body. */
export async function replayDelivery(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { owner, deliveryId }: { readonly owner: DeliveryOwner; readonly deliveryId: string },
): Promise<StoredDelivery> {
  return ctx.pg.transaction(async (client) => {
    const { id: ownerId } = found(await findOwner(client, owner))
    const delivery = { kind: owner.kind, ownerId, deliveryId }
    const target = found(await lockTargetOf(client, delivery))
    if (target.disabled_at !== null) {
      throw new CodedError('conflict', {
        message: `The target of this delivery is disabled. Enable it first: ${enabling[owner.kind]}.`,
      })
    }
    const replayed = found(await replay(client, delivery, new Date(ctx.clock.nowMs())))
    await closeBreaker(client, [target.id])
    await enqueueDeliveries(client, [target.id])
    await addAudit(client, actor, {
      action: 'delivery.replayed',
      subjectType: 'delivery',
      subjectId: deliveryId,
      details: { [`${owner.kind}_id`]: ownerId, target_id: target.id },
    })
    return replayed
  })
}
