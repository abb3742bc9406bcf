import { Badge } from '../../../../design/content/badge.tsx'
import { countOf } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { WindowedList } from '../../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../../design/forms/field.tsx'
import { usePages } from '../../../../http/use-pages.ts'
import { useProjectId } from '../../../../url/use-project.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import {
  type Delivery,
  lastAttemptWords,
  stateLabels,
  stateTones,
  subjectOf,
  targetName,
} from './delivery-look.ts'

const states = ['pending', 'delivered', 'failed'] as const
const pollMs = 3_000

/** What a rule has sent, newest first. */
export function DeliveryLog({ alertId }: { readonly alertId: string }) {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const state = states.find((one) => one === get('state'))
  const params = { project_id, alert_id: alertId }
  const pages = usePages(
    'GET /api/v1/projects/{project_id}/alerts/{alert_id}/deliveries',
    { params, query: { limit: 50, ...(state === undefined ? {} : { state }) } },
    { topics: ['alerts'], keepPrevious: true, refetchEveryMs: pollMs * 5 },
  )
  const open = get('delivery')
  const opened = pages.items.find(({ id }) => id === open)
  const show = ({ id }: Delivery) => set({ delivery: id })
  return (
    <Panel
      title="Deliveries"
      flush
      actions={
        <div class="reports-choice">
          <SelectField
            label="State"
            hideLabel
            value={state ?? ''}
            choices={[
              { value: '', label: 'All deliveries' },
              ...states.map((value) => ({ value, label: stateLabels[value] })),
            ]}
            onValue={(value) => set({ state: value })}
          />
        </div>
      }
    >
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton />
      ) : pages.items.length === 0 ? (
        <EmptyState
          icon="send"
          title={state === undefined ? 'Nothing was sent yet' : 'No such delivery'}
        >
          {state === undefined && <p>Send a test to see whether the channels work.</p>}
        </EmptyState>
      ) : (
        <WindowedList
          label="Deliveries"
          items={pages.items}
          keyOf={({ id }) => id}
          rowHeight={49}
          current={get('row')}
          onCurrent={(row) => set({ row }, 'replace')}
          onOpen={show}
          onEnd={pages.loadMore}
          renderRow={(delivery) => (
            <button type="button" class="delivery-row" onClick={() => show(delivery)}>
              <span>
                <Badge tone={stateTones[delivery.state]}>{stateLabels[delivery.state]}</Badge>
              </span>
              <span class="delivery-target">{targetName(delivery)}</span>
              <span class="delivery-subject soft">{subjectOf(delivery)}</span>
              <span class="delivery-result">
                {lastAttemptWords(delivery)}
                {delivery.attempts.length > 1 && (
                  <span class="soft">, {countOf(delivery.attempts.length, 'attempt')}</span>
                )}
              </span>
              <span class="delivery-time soft">
                <Time at={delivery.at} />
              </span>
            </button>
          )}
        />
      )}
      {opened !== undefined && (
        <DeliveryDialog
          alertId={alertId}
          delivery={opened}
          onClose={() => set({ delivery: undefined }, 'replace')}
        />
      )}
    </Panel>
  )
}
