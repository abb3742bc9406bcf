import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Badge, Meter } from '../../../design/content/badge.tsx'
import { formatCompact, formatNumber, formatShare } from '../../../design/content/format.ts'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { editItems } from '../../../http/edit-cache.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import {
  type CampaignItem,
  groupNamed,
  stateGroups,
  stateTone,
  stateWord,
} from './campaign-state.ts'
import { NewCampaignDialog } from './new-campaign-dialog.tsx'
import './campaigns.css'

const list = 'GET /api/v1/admin/email/campaigns'
type NewsletterItem = Reply<'GET /api/v1/organization/newsletters'>['items'][number]

const head = {
  row: 'campaign-row',
  columns: [
    'Subject',
    'State',
    { label: 'Recipients', class: 'numeric' },
    { label: 'Opens', class: 'numeric campaign-extra' },
    { label: 'Clicks', class: 'numeric campaign-extra' },
    { label: 'Bounces', class: 'numeric campaign-extra' },
    '',
  ],
}

/** `/email/campaigns`: every campaign with its state, its progress and what it achieved. */
export function CampaignsPage() {
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const group = groupNamed(get('state'))
  const newsletter = get('newsletter')
  const newsletters = useRead('GET /api/v1/organization/newsletters', {})
  const query = {
    ...(group.states === undefined ? {} : { state: group.states.join(',') }),
    ...(newsletter === undefined ? {} : { newsletter }),
  }
  const pages = usePages(list, { query }, { topics: ['campaigns'], keepPrevious: true })
  const [isCreating, setCreating] = useState(false)
  useShortcuts(
    canWrite.value ? [{ keys: 'n', label: 'New campaign', run: () => setCreating(true) }] : [],
  )
  const items = newsletters.data?.items ?? []
  const open = (campaign: CampaignItem) => route(`/email/campaigns/${campaign.id}`)
  return (
    <Page
      title="Campaigns"
      wide
      actions={
        canWrite.value && (
          <Button
            kind="primary"
            icon="plus"
            disabled={newsletters.data !== undefined && items.length === 0}
            onClick={() => setCreating(true)}
          >
            New campaign
          </Button>
        )
      }
      bar={
        <div class="campaign-bar">
          <Tabs
            label="Campaigns by state"
            tabs={stateGroups.map(({ name, label }) => ({
              label,
              href: hrefOf(name, newsletter),
              current: name === group.name,
            }))}
          />
          {items.length > 1 && (
            <SelectField
              label="Newsletter"
              hideLabel
              value={newsletter ?? ''}
              choices={[
                { value: '', label: 'All newsletters' },
                ...items.map(({ slug, name }) => ({ value: slug, label: name })),
              ]}
              onValue={(value) => set({ newsletter: value })}
            />
          )}
        </div>
      }
    >
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={8} height={36} />
      ) : pages.items.length === 0 ? (
        <NoCampaigns
          isFiltered={group.states !== undefined || newsletter !== undefined}
          hasNewsletter={items.length > 0}
          onNew={() => setCreating(true)}
        />
      ) : (
        <div class="campaign-list">
          <WindowedList
            label="Campaigns"
            head={head}
            items={pages.items}
            keyOf={({ id }) => id}
            rowHeight={58}
            current={get('row')}
            onCurrent={(row) => set({ row }, 'replace')}
            onOpen={open}
            onEnd={pages.loadMore}
            renderRow={(campaign) => (
              <CampaignRow
                campaign={campaign}
                newsletter={items.find(({ slug }) => slug === campaign.newsletter)}
              />
            )}
          />
        </div>
      )}
      {isCreating && (
        <NewCampaignDialog
          newsletters={items}
          chosen={newsletter}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  )
}

function hrefOf(state: string, newsletter: string | undefined): string {
  const params = new URLSearchParams()
  if (state !== 'all') params.set('state', state)
  if (newsletter !== undefined) params.set('newsletter', newsletter)
  const text = params.toString()
  return text === '' ? '/email/campaigns' : `/email/campaigns?${text}`
}

function CampaignRow({
  campaign,
  newsletter,
}: {
  readonly campaign: CampaignItem
  readonly newsletter: NewsletterItem | undefined
}) {
  const { id, subject, state, counts } = campaign
  return (
    <div class="campaign-row">
      <div class="campaign-subject">
        <a href={`/email/campaigns/${id}`} class="truncate">
          {subject}
        </a>
        <span class="soft small truncate">
          {newsletter?.name ?? campaign.newsletter} · <When campaign={campaign} />
        </span>
      </div>
      <span class="campaign-progress">
        <Badge tone={stateTone(state)} title={campaign.reason ?? ''}>
          {stateWord(state)}
        </Badge>
        {counts !== null && counts.waiting > 0 && (
          <>
            <Meter
              label={`Sent of ${subject}`}
              value={counts.audience - counts.waiting}
              max={Math.max(counts.audience * 1.3, 1)}
            />
            <span class="small soft number">
              {formatShare(1 - counts.waiting / Math.max(counts.audience, 1), 0)}
            </span>
          </>
        )}
      </span>
      <Numbers campaign={campaign} newsletter={newsletter} />
      <RowMenu campaign={campaign} />
    </div>
  )
}

function When({ campaign }: { readonly campaign: CampaignItem }) {
  if (campaign.state === 'scheduled') {
    return (
      <>
        sends <Time at={campaign.scheduledAt} />
      </>
    )
  }
  if (campaign.sentAt !== null) {
    return (
      <>
        sent <Time at={campaign.sentAt} />
      </>
    )
  }
  return (
    <>
      edited <Time at={campaign.updatedAt} />
    </>
  )
}

function Numbers({
  campaign: { counts },
  newsletter,
}: {
  readonly campaign: CampaignItem
  readonly newsletter: NewsletterItem | undefined
}) {
  if (counts === null) {
    return (
      <>
        <span class="numeric soft">–</span>
        <span class="numeric soft campaign-extra">–</span>
        <span class="numeric soft campaign-extra">–</span>
        <span class="numeric soft campaign-extra">–</span>
      </>
    )
  }
  return (
    <>
      <span class="numeric" title={`${formatNumber(counts.sent)} sent`}>
        {formatCompact(counts.audience)}
      </span>
      <Hits count={counts.opens} isTracked={newsletter?.track_opens !== false} />
      <Hits count={counts.clicks} isTracked={newsletter?.track_clicks !== false} />
      <span class="numeric campaign-extra">{formatCompact(counts.bounced)}</span>
    </>
  )
}

/** A zero of a newsletter that does not track is no result. */
function Hits({ count, isTracked }: { readonly count: number; readonly isTracked: boolean }) {
  return count === 0 && !isTracked ? (
    <span class="numeric soft campaign-extra" title="Not tracked">
      –
    </span>
  ) : (
    <span class="numeric campaign-extra">{formatCompact(count)}</span>
  )
}

function RowMenu({ campaign: { id, subject, state } }: { readonly campaign: CampaignItem }) {
  const { route } = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  if (!canWrite.value) return <span />
  return (
    <>
      <Menu
        label={`Actions of ${subject}`}
        hideLabel
        icon="more"
        kind="quiet"
        size="s"
        actions={[
          {
            label: 'Duplicate',
            icon: 'copy',
            run: () =>
              void duplicateCampaign(id).then((copy) => copy && route(hrefOfCampaign(copy))),
          },
          ...(state === 'draft'
            ? [
                {
                  label: 'Delete…',
                  icon: 'trash' as const,
                  danger: true,
                  run: () => setDeleting(true),
                },
              ]
            : []),
        ]}
      />
      {isDeleting && (
        <DeleteDraftDialog id={id} subject={subject} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}

function hrefOfCampaign(id: string): string {
  return `/email/campaigns/${id}`
}

/** The id of the copy. */
export async function duplicateCampaign(id: string): Promise<string | undefined> {
  const copy = await runChange({
    send: () =>
      request('POST /api/v1/admin/email/campaigns/{campaign_id}/duplicate', {
        params: { campaign_id: id },
      }),
    done: 'The copy is a draft.',
    refetch: [list],
  })
  return copy?.id
}

export function DeleteDraftDialog({
  id,
  subject,
  onClose,
  onDeleted,
}: {
  readonly id: string
  readonly subject: string
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const remove = async () => {
    const done = await runChange({
      apply: () => editItems(list, (item) => (item.id === id ? undefined : item)),
      send: () =>
        request('DELETE /api/v1/admin/email/campaigns/{campaign_id}', {
          params: { campaign_id: id },
        }).then(() => true),
      done: `Deleted “${subject}”.`,
      refetch: [list],
    })
    if (done === true) onDeleted?.()
  }
  return (
    <ConfirmDialog
      title="Delete the draft?"
      confirm="Delete the draft"
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <p>“{subject}” has not been sent. Deleting it cannot be undone.</p>
    </ConfirmDialog>
  )
}

function NoCampaigns({
  isFiltered,
  hasNewsletter,
  onNew,
}: {
  readonly isFiltered: boolean
  readonly hasNewsletter: boolean
  readonly onNew: () => void
}) {
  if (isFiltered) {
    return (
      <EmptyState icon="filter" title="No campaign fits">
        <ButtonLink href="/email/campaigns">Show all campaigns</ButtonLink>
      </EmptyState>
    )
  }
  if (!hasNewsletter) {
    return (
      <EmptyState icon="mail" title="There is no newsletter yet">
        <p>A campaign belongs to a newsletter, which names the sender and has the subscribers.</p>
        <ButtonLink kind="primary" href="/email/newsletters">
          Create a newsletter
        </ButtonLink>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="send" title="No campaigns yet">
      <p>Write an email, check it, and send it to everybody who subscribed.</p>
      {canWrite.value && (
        <Button kind="primary" icon="plus" onClick={onNew}>
          New campaign
        </Button>
      )}
    </EmptyState>
  )
}
