import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page, Panel, Tabs } from '../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { isUnderWay, stateTone, stateWord } from './campaign-state.ts'
import { DeleteDraftDialog, duplicateCampaign } from './campaigns-page.tsx'
import { DraftEditor } from './editor/draft-editor.tsx'
import { KeptEditsNotice } from './editor/kept-edits-notice.tsx'
import { mergeTagsOf } from './editor/merge-tags.ts'
import { PreviewPane } from './editor/preview-pane.tsx'
import { SaveProblem, SaveWord } from './editor/save-state.tsx'
import { TestEmailDialog } from './editor/test-email-dialog.tsx'
import { type CampaignDetail, useDraft } from './editor/use-draft.ts'
import { DeliveriesTab } from './results/deliveries-tab.tsx'
import { ResultsTab } from './results/results-tab.tsx'
import { ProgressPanel } from './sending/progress-panel.tsx'
import { ReviewTab } from './sending/review-tab.tsx'
import { invalidateCampaign } from './sending/send-dialog.tsx'
import { formatInZone, localZone } from './sending/zoned-time.ts'
import './campaign.css'

const campaignsParent = { label: 'Campaigns', href: '/email/campaigns' }

/** `/email/campaigns/{id}`: writes a draft, and shows what became of a campaign afterwards. */
export function CampaignPage() {
  const { campaign_id = '' } = useRoute().params as { readonly campaign_id?: string }
  const read = useRead(
    'GET /api/v1/admin/email/campaigns/{campaign_id}',
    { params: { campaign_id } },
    { topics: ['campaigns'] },
  )
  const { data } = read
  if (data === undefined || data.id !== campaign_id) {
    return (
      <Page title="Campaign" parent={campaignsParent} wide>
        {read.problem === undefined ? (
          <Skeleton lines={10} />
        ) : (
          <ProblemBox problem={read.problem} onRetry={read.refetch} />
        )}
      </Page>
    )
  }
  return data.state === 'draft' ? (
    <DraftPage key={data.id} campaign={data} />
  ) : (
    <SentPage key={data.id} campaign={data} />
  )
}

const sampleSize = 100

function DraftPage({ campaign }: { readonly campaign: CampaignDetail }) {
  const { get } = useSearchParams()
  const { route } = useLocation()
  const draft = useDraft(campaign)
  const [isTesting, setTesting] = useState(false)
  const [isReviewing, setReviewing] = useState(false)
  const contacts = useRead('GET /api/v1/admin/email/contacts', {
    query: { newsletter: campaign.newsletter, status: 'subscribed', limit: sampleSize },
  })
  const path = `/email/campaigns/${campaign.id}`
  const isReview = get('tab') === 'review'
  const mayWrite = canWrite.value
  const review = async () => {
    setReviewing(true)
    if (await draft.flush()) route(`${path}?tab=review`)
    else showToast({ kind: 'error', text: 'The draft is not saved yet. Look at the fields first.' })
    setReviewing(false)
  }
  useShortcuts(
    mayWrite ? [{ keys: 'Mod+s', label: 'Save the draft now', run: () => void draft.flush() }] : [],
  )
  return (
    <Page
      title={draft.fields.subject.trim() === '' ? 'Draft' : draft.fields.subject}
      parent={campaignsParent}
      wide
      meta={
        <>
          <Badge>Draft</Badge>
          {mayWrite ? <SaveWord save={draft.save} /> : 'Viewers cannot edit it.'}
        </>
      }
      actions={
        <>
          <CampaignMenu campaign={campaign} onDeleted={() => route('/email/campaigns')} />
          {mayWrite && (
            <Button icon="mail" onClick={() => setTesting(true)}>
              Send a test
            </Button>
          )}
          {!isReview && mayWrite && (
            <Button kind="primary" busy={isReviewing} onClick={() => void review()}>
              Review and send
            </Button>
          )}
        </>
      }
      bar={
        <Tabs
          label="Steps"
          tabs={[
            { label: 'Write', href: path, current: !isReview },
            { label: 'Review and send', href: `${path}?tab=review`, current: isReview },
          ]}
        />
      }
    >
      {isReview ? (
        <>
          <SaveProblem campaignId={campaign.id} draft={draft} />
          {draft.save.kind === 'saved' ? (
            <ReviewTab campaign={campaign} version={draft.version} />
          ) : (
            <Skeleton lines={6} />
          )}
        </>
      ) : (
        <DraftEditor
          campaign={campaign}
          draft={draft}
          mergeTags={mergeTagsOf(contacts.data?.items ?? [])}
          readOnly={!mayWrite}
        />
      )}
      {isTesting && (
        <TestEmailDialog
          campaignId={campaign.id}
          flush={draft.flush}
          onClose={() => setTesting(false)}
        />
      )}
    </Page>
  )
}

function SentPage({ campaign }: { readonly campaign: CampaignDetail }) {
  const { get } = useSearchParams()
  const path = `/email/campaigns/${campaign.id}`
  const isScheduled = campaign.state === 'scheduled'
  // The page takes the place of the form that sent the campaign.
  useEffect(() => window.scrollTo(0, 0), [])
  const asked = get('tab')
  const tab = asked === 'deliveries' || asked === 'email' ? asked : 'results'
  return (
    <Page
      title={campaign.subject}
      parent={campaignsParent}
      wide
      meta={<Badge tone={stateTone(campaign.state)}>{stateWord(campaign.state)}</Badge>}
      actions={<CampaignMenu campaign={campaign} />}
      bar={
        isScheduled ? undefined : (
          <Tabs
            label="Parts of the campaign"
            tabs={[
              { label: 'Results', href: path, current: tab === 'results' },
              {
                label: 'Deliveries',
                href: `${path}?tab=deliveries`,
                current: tab === 'deliveries',
                count: campaign.counts?.audience,
              },
              { label: 'Email', href: `${path}?tab=email`, current: tab === 'email' },
            ]}
          />
        )
      }
    >
      <KeptEditsNotice campaign={campaign} />
      {isScheduled && <Scheduled campaign={campaign} />}
      {!isScheduled && tab === 'results' && (
        <>
          <ProgressPanel campaignId={campaign.id} />
          <ResultsTab campaignId={campaign.id} newsletter={campaign.newsletter} />
        </>
      )}
      {!isScheduled && tab === 'deliveries' && (
        <>
          {isUnderWay(campaign.state) && <ProgressPanel campaignId={campaign.id} />}
          <DeliveriesTab campaignId={campaign.id} />
        </>
      )}
      {(isScheduled || tab === 'email') && (
        <PreviewPane
          campaignId={campaign.id}
          newsletter={campaign.newsletter}
          version={campaign.updatedAt}
        />
      )}
    </Page>
  )
}

function Scheduled({ campaign }: { readonly campaign: CampaignDetail }) {
  const [busy, setBusy] = useState(false)
  const preflight = useRead('GET /api/v1/admin/email/campaigns/{campaign_id}/preflight', {
    params: { campaign_id: campaign.id },
  })
  const cancel = async () => {
    setBusy(true)
    await runChange({
      send: () =>
        request('POST /api/v1/admin/email/campaigns/{campaign_id}/cancel', {
          params: { campaign_id: campaign.id },
        }),
      done: 'It is a draft again.',
    })
    await invalidateCampaign()
    setBusy(false)
  }
  const atMs = new Date(campaign.scheduledAt ?? '').getTime()
  const people = preflight.data?.audience.receiving
  return (
    <Panel
      title="Scheduled"
      actions={
        canWrite.value && (
          <Button size="s" icon="edit" busy={busy} onClick={() => void cancel()}>
            Unschedule and edit
          </Button>
        )
      }
    >
      <p>
        It is sent on <strong>{formatInZone(atMs, localZone())}</strong>
        {people !== undefined &&
          ` to everybody who is subscribed then, ${countOf(people, 'person', 'people')} as of now`}
        .
      </p>
      {campaign.reason !== null && <p class="sending-reason">{campaign.reason}</p>}
    </Panel>
  )
}

function CampaignMenu({
  campaign,
  onDeleted,
}: {
  readonly campaign: CampaignDetail
  readonly onDeleted?: () => void
}) {
  const { route } = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const { url } = campaign
  const open = (id: string | undefined) => id !== undefined && route(`/email/campaigns/${id}`)
  return (
    <>
      <Menu
        label="More"
        hideLabel
        icon="more"
        actions={[
          ...(canWrite.value
            ? [
                {
                  label: 'Duplicate',
                  icon: 'copy' as const,
                  run: () => void duplicateCampaign(campaign.id).then(open),
                },
              ]
            : []),
          ...(url !== undefined && campaign.sentAt !== null
            ? [
                {
                  label: 'Open in the archive',
                  icon: 'external' as const,
                  run: () => void window.open(url, '_blank', 'noopener'),
                },
              ]
            : []),
          ...(canWrite.value && campaign.state === 'draft'
            ? [
                {
                  label: 'Delete…',
                  icon: 'trash' as const,
                  danger: true,
                  run: () => setDeleting(true),
                },
              ]
            : []),
          {
            label: 'All campaigns',
            icon: 'list' as const,
            run: () => route('/email/campaigns'),
          },
        ]}
      />
      {isDeleting && (
        <DeleteDraftDialog
          id={campaign.id}
          subject={campaign.subject}
          onClose={() => setDeleting(false)}
          {...(onDeleted === undefined ? {} : { onDeleted })}
        />
      )}
    </>
  )
}
