import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Facts } from '../../../../design/content/data-table.tsx'
import { countOf } from '../../../../design/content/format.ts'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import type { CampaignDetail } from '../editor/use-draft.ts'
import { formatInZone } from './zoned-time.ts'

interface SendDialogProps {
  readonly campaign: Pick<CampaignDetail, 'id' | 'subject'>
  readonly sender: string
  readonly receiving: number
  /** Undefined sends now. */
  readonly atMs: number | undefined
  readonly zone: string
  readonly ratePerSecond: number | undefined
  readonly warmUp: boolean
  readonly force: boolean
  readonly onClose: () => void
}

/** The last question: how many people get what, from whom, and when. */
export function SendDialog(props: SendDialogProps) {
  const { campaign, sender, receiving, atMs, zone, ratePerSecond, warmUp, force, onClose } = props
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const people = countOf(receiving, 'person', 'people')
  const when = atMs === undefined ? 'Now' : formatInZone(atMs, zone)
  const send = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await request('POST /api/v1/admin/email/campaigns/{campaign_id}/send', {
        params: { campaign_id: campaign.id },
        body: {
          ...(atMs === undefined ? {} : { scheduledAt: new Date(atMs).toISOString() }),
          ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
          ...(warmUp ? { warmUp } : {}),
          ...(force ? { force } : {}),
        },
      })
      showToast({
        kind: 'done',
        text: atMs === undefined ? `Sending to ${people}.` : `Scheduled: ${when}.`,
      })
      onClose()
      void invalidateCampaign()
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={atMs === undefined ? `Send to ${people}?` : `Schedule for ${people}?`}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not yet</Button>
          <Button kind="primary" busy={busy} onClick={() => void send()}>
            {atMs === undefined ? `Send to ${people}` : 'Schedule'}
          </Button>
        </>
      }
    >
      <div class="stack">
        <Facts
          facts={[
            { name: 'Subject', value: campaign.subject },
            { name: 'From', value: sender },
            { name: 'To', value: atMs === undefined ? people : `${people} as of now` },
            { name: 'When', value: when },
            ...(ratePerSecond === undefined
              ? []
              : [{ name: 'Rate', value: `at most ${countOf(ratePerSecond, 'email')} a second` }]),
            ...(warmUp ? [{ name: 'Warm-up', value: '200 emails on the first day' }] : []),
          ]}
        />
        <p class="small soft">
          {atMs === undefined
            ? 'The current version of the email is sent. You can pause or cancel sending; emails that were sent cannot be recalled.'
            : 'The current version of the email is scheduled. Until it is sent you can cancel, which makes it a draft again.'}
        </p>
        {problem !== undefined && <ProblemBox problem={problem} />}
      </div>
    </Dialog>
  )
}

/** After every step of a campaign, all that is shown of it is read again. */
export function invalidateCampaign(): Promise<void> {
  return invalidateReads(
    'GET /api/v1/admin/email/campaigns',
    'GET /api/v1/admin/email/campaigns/{campaign_id}',
    'GET /api/v1/admin/email/campaigns/{campaign_id}/progress',
    'GET /api/v1/admin/email/campaigns/{campaign_id}/deliveries',
    'GET /api/v1/admin/email/campaigns/{campaign_id}/results',
  )
}
