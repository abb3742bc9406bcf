import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { type Item, usePages } from '../../../http/use-pages.ts'
import type { Webhook } from './webhook.ts'

const list = 'GET /api/v1/organization/webhooks/{webhook_id}/deliveries'
type Delivery = Item<typeof list>

const tones = { pending: 'info', delivered: 'success', failed: 'danger' } as const
/** Deliveries that wait show their next attempt by themselves. */
const refreshMs = 3_000

/** What was sent to a webhook, each attempt with its answer. */
export function WebhookDeliveries({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
}) {
  const input = { params: { webhook_id: webhook.id } }
  const pages = usePages(list, input, { refetchEveryMs: refreshMs })
  return (
    <Dialog title={`Deliveries to ${webhook.url}`} size="side" onClose={onClose}>
      <div class="stack">
        {pages.problem !== undefined && (
          <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
        )}
        {pages.isLoading && <Skeleton />}
        {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
          <EmptyState icon="send" title="Nothing was delivered yet">
            <p>Send a test from the menu of the webhook.</p>
          </EmptyState>
        )}
        {pages.items.map((delivery) => (
          <DeliveryBox key={delivery.id} webhookId={webhook.id} delivery={delivery} />
        ))}
        {pages.hasMore && (
          <Button busy={pages.isLoadingMore} onClick={pages.loadMore}>
            Show older deliveries
          </Button>
        )}
      </div>
    </Dialog>
  )
}

function DeliveryBox({
  webhookId,
  delivery,
}: {
  readonly webhookId: string
  readonly delivery: Delivery
}) {
  const { id, at, state, is_test: isTest, attempts, payload } = delivery
  const replay = () =>
    runChange({
      send: () =>
        request('POST /api/v1/organization/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', {
          params: { webhook_id: webhookId, delivery_id: id },
        }),
      done: 'Queued for delivery again.',
      refetch: [list],
    })
  return (
    <details class="panel">
      <summary class="panel-head">
        <span class="row">
          <Badge tone={tones[state]}>{state}</Badge>
          <span>{String(payload['type'] ?? 'event')}</span>
          {isTest && <Badge>test</Badge>}
        </span>
        <Time at={at} />
      </summary>
      <div class="panel-body stack">
        {attempts.map((attempt) => (
          <p key={attempt.at} class="small">
            <Time at={attempt.at} />: {attempt.status ?? 'no answer'} in {attempt.latency_ms} ms
            {attempt.error !== null && <span class="soft"> · {attempt.error}</span>}
          </p>
        ))}
        {delivery.next_attempt_at !== null && (
          <p class="small soft">
            Next attempt <Time at={delivery.next_attempt_at} />
          </p>
        )}
        <CodeBlock label="Payload" code={JSON.stringify(payload, null, 2)} />
        {state === 'failed' && (
          <Button size="s" icon="refresh" onClick={() => void replay()}>
            Deliver again
          </Button>
        )}
      </div>
    </details>
  )
}
