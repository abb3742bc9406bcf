/** The log of what was sent to webhooks and other channels: a list, and one delivery in detail. */
import { Badge } from '../design/content/badge.tsx'
import { countOf } from '../design/content/format.ts'
import { EmptyState, ProblemBox, Skeleton } from '../design/content/states.tsx'
import { Time } from '../design/content/time.tsx'
import { WindowedList } from '../design/content/windowed-list.tsx'
import { SelectField } from '../design/forms/field.tsx'
import type { Delivery } from '../generated/api.d.ts'
import type { Pages } from '../http/use-pages.ts'
import { useSearchParams } from '../url/use-search-params.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import {
  lastAttemptWords,
  stateLabels,
  stateTones,
  subjectOf,
  targetName,
} from './delivery-look.ts'
import './delivery-log.css'

const states = ['pending', 'delivered', 'failed'] as const

/** Deliveries that wait show their next attempt by themselves. */
export const deliveriesRefreshMs = 5_000

/** The query of the list, by the address. */
export function useDeliveryQuery() {
  const { get } = useSearchParams()
  const state = states.find((one) => one === get('state'))
  return { limit: 50, ...(state === undefined ? {} : { state }) }
}

export function DeliveryStateFilter() {
  const { get, set } = useSearchParams()
  return (
    <div class="delivery-log-filter">
      <SelectField
        label="State"
        hideLabel
        value={states.find((one) => one === get('state')) ?? ''}
        choices={[
          { value: '', label: 'All deliveries' },
          ...states.map((value) => ({ value, label: stateLabels[value] })),
        ]}
        onValue={(value) => set({ state: value })}
      />
    </div>
  )
}

interface DeliveryLogProps {
  readonly pages: Pages<Delivery>
  /** What to do while nothing was sent. */
  readonly hint: string
  /** Absent for a person who may not. */
  readonly onReplay: ((delivery: Delivery) => Promise<unknown>) | undefined
}

export function DeliveryLog({ pages, hint, onReplay }: DeliveryLogProps) {
  const { get, set } = useSearchParams()
  const isFiltered = states.some((one) => one === get('state'))
  const open = get('delivery')
  const opened = pages.items.find(({ id }) => id === open)
  const show = ({ id }: Delivery) => set({ delivery: id })
  return (
    <div class="delivery-log">
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton />
      ) : pages.items.length === 0 ? (
        <EmptyState icon="send" title={isFiltered ? 'No delivery matches' : 'Nothing was sent yet'}>
          {!isFiltered && <p>{hint}</p>}
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
          renderRow={(delivery) => <Row delivery={delivery} onOpen={() => show(delivery)} />}
        />
      )}
      {opened !== undefined && (
        <DeliveryDialog
          delivery={opened}
          onReplay={onReplay && (() => onReplay(opened))}
          onClose={() => set({ delivery: undefined }, 'replace')}
        />
      )}
    </div>
  )
}

function Row({ delivery, onOpen }: { readonly delivery: Delivery; readonly onOpen: () => void }) {
  const { state, attempts, at } = delivery
  return (
    <button type="button" class="delivery-log-row" onClick={onOpen}>
      <span>
        <Badge tone={stateTones[state]}>{stateLabels[state]}</Badge>
      </span>
      <span class="delivery-log-target">{targetName(delivery)}</span>
      <span class="delivery-log-subject soft">{subjectOf(delivery)}</span>
      <span class="delivery-log-result">
        {lastAttemptWords(delivery)}
        {attempts.length > 1 && <span class="soft">, {countOf(attempts.length, 'attempt')}</span>}
      </span>
      <span class="delivery-log-time soft">
        <Time at={at} />
      </span>
    </button>
  )
}
