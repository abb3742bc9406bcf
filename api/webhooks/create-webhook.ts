import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import {
  type NewWebhook,
  type WebhookInput,
  webhooksPerOrganizationMax,
} from '#schemas/rest/alerts/webhook.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { urlRule } from '../targets/plan-targets.ts'
import { newContent, sealTarget } from '../targets/sealed-target.ts'
import { shownTarget } from '../targets/shown-target.ts'
import { addTarget } from '../targets/target-store.ts'
import { addWebhook, countWebhooks, findWebhook } from './webhook-store.ts'
import { webhookViews } from './webhook-view.ts'

/** Creates a webhook. Its secret is returned once and stored sealed. */
export async function createWebhook(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'targetSettings'>,
  actor: Actor,
  { url, label, events, enabled }: WebhookInput,
): Promise<NewWebhook> {
  const rule = urlRule(url, ctx.targetSettings)
  if (rule !== undefined) throw invalidField('url', rule)
  const { organizationId } = actor
  const id = uuidv7()
  const targetId = uuidv7()
  const content = newContent({ type: 'webhook', url })
  return ctx.pg.transaction(async (client) => {
    if ((await countWebhooks(client, organizationId)) >= webhooksPerOrganizationMax) {
      const message = `An organization has at most ${webhooksPerOrganizationMax} webhooks.`
      throw new CodedError('conflict', { message })
    }
    await addWebhook(client, { organizationId, id, label, events, enabled })
    await addTarget(
      client,
      { organizationId, webhookId: id },
      {
        id: targetId,
        type: 'webhook',
        shown: shownTarget(content.target),
        sealed: sealTarget(ctx.box, targetId, content),
        isEnabled: true,
      },
    )
    await addAudit(client, actor, {
      action: 'webhook.created',
      subjectType: 'webhook',
      subjectId: id,
      details: { label, events },
    })
    const stored = found(await findWebhook(client, { organizationId, id }))
    const view = found((await webhookViews(client, [stored]))[0])
    return { ...view, secret: found(content.secrets[0]).value }
  })
}
