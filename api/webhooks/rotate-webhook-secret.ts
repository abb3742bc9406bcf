import type { RotatedWebhookSecret } from '#schemas/rest/alerts/webhook.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { rotateTargetSecret } from '../targets/rotate-target-secret.ts'
import { listTargets } from '../targets/target-store.ts'
import { lockWebhook } from './webhook-store.ts'

/** Gives the webhook a new secret. The old one signs along for a day. */
export async function rotateWebhookSecret(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'clock'>,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<RotatedWebhookSecret> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    found(await lockWebhook(client, { organizationId, id }))
    const target = found((await listTargets(client, { webhookIds: [id] }))[0])
    const result = await rotateTargetSecret({ pg: client, box: ctx.box }, target, ctx.clock.nowMs())
    await addAudit(client, actor, {
      action: 'webhook.secret_rotated',
      subjectType: 'webhook',
      subjectId: id,
    })
    return result
  })
}
