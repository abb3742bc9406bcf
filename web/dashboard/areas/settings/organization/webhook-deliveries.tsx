import {
  DeliveryLog,
  DeliveryStateFilter,
  deliveriesRefreshMs,
  useDeliveryQuery,
} from '../../../deliveries/delivery-log.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { usePages } from '../../../http/use-pages.ts'
import { canWrite } from '../../../session/session.ts'
import type { Webhook } from './webhook.ts'

const list = 'GET /api/v1/organization/webhooks/{webhook_id}/deliveries'

/** What was sent to a webhook, newest first. */
export function WebhookDeliveries({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
}) {
  const params = { webhook_id: webhook.id }
  const query = useDeliveryQuery()
  const pages = usePages(
    list,
    { params, query },
    { keepPrevious: true, refetchEveryMs: deliveriesRefreshMs },
  )
  const replay = ({ id }: { readonly id: string }) =>
    runChange({
      send: () =>
        request('POST /api/v1/organization/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', {
          params: { ...params, delivery_id: id },
        }),
      done: 'Queued for delivery again.',
      refetch: [list],
    })
  return (
    <Dialog title={`Deliveries to ${webhook.url}`} size="side" onClose={onClose}>
      <div class="stack">
        <DeliveryStateFilter />
        <DeliveryLog
          pages={pages}
          hint="Send a test from the menu of the webhook."
          onReplay={canWrite.value ? replay : undefined}
        />
      </div>
    </Dialog>
  )
}
