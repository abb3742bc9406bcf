import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { countOf } from '../../../../design/content/format.ts'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { WindowedList } from '../../../../design/content/windowed-list.tsx'
import { SelectField, TextField } from '../../../../design/forms/field.tsx'
import { ConfirmDialog } from '../../../../design/overlays/dialog.tsx'
import { hrefOf, request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { type Item, usePages } from '../../../../http/use-pages.ts'
import { canWrite } from '../../../../session/session.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { useProgress } from '../sending/progress-panel.tsx'
import { invalidateCampaign } from '../sending/send-dialog.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { deliveryStates } from './delivery-states.ts'

const list = 'GET /api/v1/admin/email/campaigns/{campaign_id}/deliveries'
type Delivery = Item<typeof list>
type State = Delivery['state']

const choices = [
  { value: '', label: 'All states' },
  { value: 'queued', label: 'Waiting' },
  { value: 'claimed', label: 'Taken by a mailer' },
  { value: 'handed_over', label: 'At the mail server' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
  { value: 'skipped', label: 'Skipped' },
  { value: 'uncertain', label: 'Uncertain' },
  { value: 'cancelled', label: 'Cancelled' },
]

const head = {
  row: 'delivery-row',
  columns: ['Contact', 'State', 'Reason', 'Attempts', { label: 'Time', class: 'delivery-time' }],
}

/** One row for each recipient, with its state and the reason for it. */
export function DeliveriesTab({ campaignId }: { readonly campaignId: string }) {
  const { get, set } = useSearchParams()
  const asked = get('delivery')
  const state = asked !== undefined && asked in deliveryStates ? (asked as State) : undefined
  const query = get('q') ?? ''
  const opened = get('opened')
  const [text, setText] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text !== query) set({ q: text }, 'replace')
    }, 300)
    return () => clearTimeout(timer)
  }, [text])
  const filter = { ...(state === undefined ? {} : { state }), ...(query === '' ? {} : { query }) }
  const pages = usePages(
    list,
    { params: { campaign_id: campaignId }, query: filter },
    { topics: ['campaigns'], keepPrevious: true },
  )
  const csv = hrefOf('GET /api/v1/admin/email/campaigns/{campaign_id}/deliveries.csv', {
    params: { campaign_id: campaignId },
    query: state === undefined ? {} : { state },
  })
  return (
    <div class="stack">
      <div class="delivery-bar">
        <TextField
          label="Address"
          hideLabel
          type="search"
          placeholder="Part of an address"
          value={text}
          maxLength={200}
          onText={setText}
        />
        <SelectField
          label="State"
          hideLabel
          value={state ?? ''}
          choices={choices}
          onValue={(value) => set({ delivery: value })}
        />
        <span class="delivery-actions">
          <Resend campaignId={campaignId} />
          <ButtonLink size="s" icon="download" href={csv} download="">
            Export CSV
          </ButtonLink>
        </span>
      </div>
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={8} height={32} />
      ) : pages.items.length === 0 ? (
        <EmptyState icon="inbox" title="No delivery fits" />
      ) : (
        <div class="campaign-list">
          <WindowedList
            label="Deliveries"
            head={head}
            items={pages.items}
            keyOf={({ contactId }) => contactId}
            rowHeight={44}
            current={get('row')}
            onCurrent={(row) => set({ row }, 'replace')}
            onOpen={({ contactId }) => set({ opened: contactId })}
            onEnd={pages.loadMore}
            renderRow={(delivery) => (
              <DeliveryRow delivery={delivery} onOpen={() => set({ opened: delivery.contactId })} />
            )}
          />
        </div>
      )}
      {opened !== undefined && (
        <DeliveryDialog
          campaignId={campaignId}
          contactId={opened}
          onClose={() => set({ opened: undefined }, 'replace')}
        />
      )}
    </div>
  )
}

function DeliveryRow({
  delivery,
  onOpen,
}: {
  readonly delivery: Delivery
  readonly onOpen: () => void
}) {
  const [word, tone] = deliveryStates[delivery.state]
  return (
    <div class="delivery-row">
      <span class="truncate">
        <a href={`/email/contacts/${delivery.contactId}`}>{delivery.email ?? 'Erased address'}</a>
        {delivery.name !== null && <span class="soft"> {delivery.name}</span>}
      </span>
      <Badge tone={tone}>{word}</Badge>
      <span class="soft small delivery-reason" title={delivery.reason ?? ''}>
        {delivery.reason}
      </span>
      <Button kind="quiet" size="s" onClick={onOpen} disabled={delivery.attempts === 0}>
        {countOf(delivery.attempts, 'attempt')}
      </Button>
      <span class="small soft delivery-time">
        {(delivery.finishedAt ?? delivery.handedOverAt) === null ? (
          ''
        ) : (
          <Time at={delivery.finishedAt ?? delivery.handedOverAt} />
        )}
      </span>
    </div>
  )
}

/** Failed and uncertain emails can be sent again, after a question. */
function Resend({ campaignId }: { readonly campaignId: string }) {
  const progress = useProgress(campaignId).data
  const [asked, setAsked] = useState<'failed' | 'uncertain'>()
  if (progress === undefined || !canWrite.value || progress.state === 'cancelled') return null
  const { failed, uncertain } = progress
  const resend = async () => {
    if (asked === undefined) return
    await runChange({
      send: () =>
        request('POST /api/v1/admin/email/campaigns/{campaign_id}/deliveries/resend', {
          params: { campaign_id: campaignId },
          body: { state: asked },
        }),
      done: ({ requeued }) => `${countOf(requeued, 'email')} will be sent again.`,
    })
    await invalidateCampaign()
  }
  return (
    <>
      {failed > 0 && (
        <Button size="s" icon="refresh" onClick={() => setAsked('failed')}>
          Resend failed …
        </Button>
      )}
      {uncertain > 0 && (
        <Button size="s" icon="refresh" onClick={() => setAsked('uncertain')}>
          Resend uncertain …
        </Button>
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={`Resend ${countOf(asked === 'failed' ? failed : uncertain, 'email')}?`}
          confirm="Resend"
          onConfirm={resend}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'failed'
              ? 'Mail servers refused these emails. Those that refuse for good will refuse again.'
              : 'The mail server never answered for these emails. Some of these people may get the email twice.'}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
