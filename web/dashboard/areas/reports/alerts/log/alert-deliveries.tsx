import {
  DeliveryLog,
  DeliveryStateFilter,
  deliveriesRefreshMs,
  useDeliveryQuery,
} from '../../../../deliveries/delivery-log.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { usePages } from '../../../../http/use-pages.ts'
import { useProjectId } from '../../../../url/use-project.ts'

const list = 'GET /api/v1/projects/{project_id}/alerts/{alert_id}/deliveries'

/** What a rule has sent, newest first. */
export function AlertDeliveries({ alertId }: { readonly alertId: string }) {
  const params = { project_id: useProjectId(), alert_id: alertId }
  const query = useDeliveryQuery()
  const pages = usePages(
    list,
    { params, query },
    { topics: ['alerts'], keepPrevious: true, refetchEveryMs: deliveriesRefreshMs * 3 },
  )
  return (
    <Panel title="Deliveries" flush actions={<DeliveryStateFilter />}>
      <DeliveryLog
        pages={pages}
        hint="Send a test to see whether the channels work."
        onReplay={({ id }) =>
          runChange({
            send: () =>
              request(
                'POST /api/v1/projects/{project_id}/alerts/{alert_id}/deliveries/{delivery_id}/replay',
                { params: { ...params, delivery_id: id } },
              ),
            done: 'Queued for delivery again.',
            refetch: [list],
          })
        }
      />
    </Panel>
  )
}
