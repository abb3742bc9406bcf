import type { RotatedSecret } from '#schemas/rest/alerts/alert.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { rotateTargetSecret } from '../targets/rotate-target-secret.ts'
import { listTargets, type StoredTarget } from '../targets/target-store.ts'
import { lockRule } from './alert-store.ts'

export interface RotateAlertSecret {
  readonly project: StoredProject
  readonly id: string
  /** Undefined: the only webhook of the rule. */
  readonly targetId: string | undefined
}

/** Gives a webhook of the rule a new secret. The old one signs along for a day. */
export async function rotateAlertSecret(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'clock'>,
  actor: Actor,
  { project, id, targetId }: RotateAlertSecret,
): Promise<RotatedSecret> {
  return ctx.pg.transaction(async (client) => {
    found(await lockRule(client, { projectId: project.dsnId, id }))
    const target = chooseWebhook(await listTargets(client, { ruleIds: [id] }), targetId)
    const result = await rotateTargetSecret({ pg: client, box: ctx.box }, target, ctx.clock.nowMs())
    await addAudit(client, actor, {
      action: 'alert.secret_rotated',
      subjectType: 'alert',
      subjectId: id,
      details: { project_id: project.id, target_id: target.id },
    })
    return { target_id: target.id, ...result }
  })
}

function chooseWebhook(
  targets: readonly StoredTarget[],
  targetId: string | undefined,
): StoredTarget {
  const webhooks = targets.filter(({ type }) => type === 'webhook')
  if (targetId !== undefined) {
    const named = webhooks.find(({ id }) => id === targetId.toLowerCase())
    if (named !== undefined) return named
    throw invalidField('target_id', 'must be the id of a webhook of the rule')
  }
  const [only, ...others] = webhooks
  if (only !== undefined && others.length === 0) return only
  const rule =
    only === undefined
      ? 'must name a webhook, and the rule has none'
      : 'must name the webhook, because the rule has several'
  throw invalidField('target_id', rule)
}
