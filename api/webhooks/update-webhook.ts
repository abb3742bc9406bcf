import type { WebhookChange, WebhookItem } from '#schemas/rest/alerts/webhook.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { urlRule } from '../targets/plan-targets.ts'
import { newContent, openTarget, sealTarget } from '../targets/sealed-target.ts'
import { shownTarget } from '../targets/shown-target.ts'
import { listTargets, setTargetEnabled, setTargetSettings } from '../targets/target-store.ts'
import { findWebhook, lockWebhook, setWebhook } from './webhook-store.ts'
import { webhookViews } from './webhook-view.ts'

/** Changes the fields that are given. The secret stays; `enabled: true` also enables the URL. */
export async function updateWebhook(
  ctx: Pick<ApiContext, 'pg' | 'box' | 'targetSettings'>,
  actor: Actor,
  { id, change }: { readonly id: string; readonly change: WebhookChange },
): Promise<WebhookItem> {
  const name = { organizationId: actor.organizationId, id }
  const { url, label, events, enabled } = change
  return ctx.pg.transaction(async (client) => {
    const before = found(await lockWebhook(client, name))
    const target = found((await listTargets(client, { webhookIds: [id] }))[0])
    if (url !== undefined && url !== target.shown['url']) {
      const rule = urlRule(url, ctx.targetSettings)
      if (rule !== undefined) throw invalidField('url', rule)
      const changed = { type: 'webhook', url } as const
      const opened = openTarget(ctx.box, target)
      const content = opened ? { ...opened, target: changed } : newContent(changed)
      const sealed = sealTarget(ctx.box, target.id, content)
      await setTargetSettings(client, { id: target.id, shown: shownTarget(changed), sealed })
    }
    // A webhook that is not enabled gets no deliveries; its target stays as it is.
    if (enabled === true) await setTargetEnabled(client, { id: target.id, isEnabled: true })
    await setWebhook(client, {
      ...name,
      label: label ?? before.label,
      events: events ?? before.events,
      enabled: enabled ?? before.enabled,
    })
    await addAudit(client, actor, {
      action: 'webhook.changed',
      subjectType: 'webhook',
      subjectId: id,
      details: {
        ...(label !== undefined && { label }),
        ...(events && { events }),
        ...(enabled !== undefined && { enabled }),
        ...(url !== undefined && { url_changed: true }),
      },
    })
    const stored = found(await findWebhook(client, name))
    return found((await webhookViews(client, [stored]))[0])
  })
}
