import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type DeliveryOwner, findOwner } from './delivery-owner-store.ts'
import { listTargets, type StoredTarget, enableTarget as storeEnabled } from './delivery-store.ts'

export interface EnableTarget {
  readonly owner: DeliveryOwner
  /** Default: the first target. A webhook has only one. */
  readonly targetId?: string
}

/** Lets notifications be sent to a target that its receiver, or too many failures, had stopped. */
export async function enableTarget(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { owner, targetId }: EnableTarget,
): Promise<StoredTarget> {
  const { kind } = owner
  return ctx.pg.transaction(async (client) => {
    const { id: ownerId } = found(await findOwner(client, owner))
    const id = targetId ?? found((await listTargets(client, { kind, ownerId }))[0]).id
    const target = found(await storeEnabled(client, { kind, ownerId, targetId: id }))
    await addAudit(client, actor, {
      action: 'notification_target.enabled',
      subjectType: 'notification_target',
      subjectId: id,
      details: { [`${kind}_id`]: ownerId },
    })
    return target
  })
}
