import type { WebhookItem } from '#schemas/rest/alerts/webhook.ts'
import type { Database } from '../database.ts'
import { listTargets, type StoredTarget } from '../targets/target-store.ts'
import { targetState } from '../targets/target-view.ts'
import type { StoredWebhook } from './webhook-store.ts'

export async function webhookViews(
  pg: Database,
  webhooks: readonly StoredWebhook[],
): Promise<WebhookItem[]> {
  const targets = await listTargets(pg, { webhookIds: webhooks.map(({ id }) => id) })
  return webhooks.flatMap((webhook) => {
    const target = targets.find(({ webhook_id }) => webhook_id === webhook.id)
    // Deleted meanwhile.
    return target === undefined ? [] : viewOf(webhook, target)
  })
}

function viewOf(webhook: StoredWebhook, target: StoredTarget): WebhookItem {
  return {
    id: webhook.id,
    url: String(target.shown['url']),
    label: webhook.label,
    events: [...webhook.events],
    enabled: webhook.enabled && target.disabled_at === null,
    ...targetState(target),
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  }
}
