import type { ComponentChildren } from 'preact'
import { Button } from '../../../../design/button.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { SelectField } from '../../../../design/forms/field.tsx'
import { type Pages, usePages } from '../../../../http/use-pages.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { BounceType, bounceCauses } from '../../bounces/bounce-words.tsx'

const choices = [
  { value: '', label: 'Bounces and complaints' },
  { value: 'hard', label: 'Hard bounces' },
  { value: 'soft', label: 'Soft bounces' },
  { value: 'complaint', label: 'Complaints' },
  { value: 'unsubscribe', label: 'Unsubscribes' },
]
const pageSize = 25

/** The addresses behind the bounces, complaints and unsubscribes of a campaign. */
export function LossesPanel({ campaignId }: { readonly campaignId: string }) {
  const { get, set } = useSearchParams()
  const asked = get('left')
  const shown = choices.some(({ value }) => value === asked) ? (asked ?? '') : ''
  return (
    <Panel
      title="Who bounced, complained or left"
      flush
      actions={
        <SelectField
          label="Show"
          hideLabel
          value={shown}
          choices={choices}
          onValue={(left) => set({ left: left === '' ? undefined : left }, 'replace')}
        />
      }
    >
      {shown === 'unsubscribe' ? (
        <Unsubscribes campaignId={campaignId} />
      ) : (
        <Bounces key={shown} campaignId={campaignId} type={shown as '' | BounceKind} />
      )}
    </Panel>
  )
}

type BounceKind = 'hard' | 'soft' | 'complaint'

function Bounces({
  campaignId,
  type,
}: {
  readonly campaignId: string
  readonly type: '' | BounceKind
}) {
  const pages = usePages(
    'GET /api/v1/admin/email/campaigns/{campaign_id}/bounces',
    {
      params: { campaign_id: campaignId },
      query: { limit: pageSize, ...(type === '' ? {} : { type }) },
    },
    { topics: ['campaigns'] },
  )
  return (
    <Listed pages={pages} nothing="No report about an email of this campaign.">
      <DataTable
        label="Bounces and complaints"
        items={pages.items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Address',
            cell: ({ email, contactId }) => <Address email={email} contactId={contactId} />,
          },
          { head: 'Type', cell: (bounce) => <BounceType bounce={bounce} /> },
          {
            head: 'Reason',
            cell: ({ cause, excerpt }) => (
              <>
                {cause === null ? '–' : bounceCauses[cause]}
                {excerpt !== null && <div class="mono small soft loss-reason">{excerpt}</div>}
              </>
            ),
          },
          { head: 'At', cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Listed>
  )
}

function Unsubscribes({ campaignId }: { readonly campaignId: string }) {
  const pages = usePages(
    'GET /api/v1/admin/email/campaigns/{campaign_id}/unsubscribes',
    { params: { campaign_id: campaignId }, query: { limit: pageSize } },
    { topics: ['campaigns'] },
  )
  return (
    <Listed pages={pages} nothing="Nobody unsubscribed with a link of this campaign.">
      <DataTable
        label="Unsubscribes"
        items={pages.items}
        keyOf={({ contactId }) => contactId}
        columns={[
          {
            head: 'Address',
            cell: ({ email, contactId }) => <Address email={email} contactId={contactId} />,
          },
          {
            head: 'How',
            cell: ({ via }) => (via === 'one_click' ? 'Button of the mailbox' : 'Unsubscribe page'),
          },
          {
            head: 'Reason',
            cell: ({ reason }) => <span class="loss-reason">{reason ?? '–'}</span>,
          },
          { head: 'At', cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Listed>
  )
}

function Address({
  email,
  contactId,
}: {
  readonly email: string | null
  readonly contactId: string | null
}) {
  const shown = email ?? 'Erased address'
  return contactId === null ? (
    <span>{shown}</span>
  ) : (
    <a href={`/email/contacts/${contactId}`}>{shown}</a>
  )
}

function Listed({
  pages,
  nothing,
  children,
}: {
  readonly pages: Pages<unknown>
  readonly nothing: string
  readonly children: ComponentChildren
}) {
  if (pages.problem !== undefined) {
    return <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
  }
  if (pages.isLoading) return <Skeleton lines={3} />
  if (pages.items.length === 0) return <p class="panel-body soft">{nothing}</p>
  return (
    <>
      {children}
      {pages.hasMore && (
        <p class="panel-body">
          <Button busy={pages.isLoadingMore} onClick={pages.loadMore}>
            Show more
          </Button>
        </p>
      )}
    </>
  )
}
