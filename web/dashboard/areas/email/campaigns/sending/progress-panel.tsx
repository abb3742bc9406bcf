import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import {
  countOf,
  formatDuration,
  formatNumber,
  formatShare,
} from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { ConfirmDialog, Dialog } from '../../../../design/overlays/dialog.tsx'
import { type Reply, request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { isUnderWay } from '../campaign-state.ts'
import { invalidateCampaign } from './send-dialog.tsx'
import { sendingParts } from './sending-parts.ts'

export type Progress = Reply<'GET /api/v1/admin/email/campaigns/{campaign_id}/progress'>
type Step = 'pause' | 'resume' | 'cancel'

const pollMs = 2_000

/** How far a campaign is, while it is sent and afterwards. */
export function ProgressPanel({ campaignId }: { readonly campaignId: string }) {
  const read = useProgress(campaignId)
  return (
    <Panel
      title="Sending"
      actions={read.data !== undefined && <Steps campaignId={campaignId} progress={read.data} />}
    >
      <Loaded read={read} lines={3}>
        {(progress) => <ProgressBody progress={progress} />}
      </Loaded>
    </Panel>
  )
}

export function useProgress(campaignId: string) {
  const [isMoving, setMoving] = useState(true)
  const read = useRead(
    'GET /api/v1/admin/email/campaigns/{campaign_id}/progress',
    { params: { campaign_id: campaignId } },
    { topics: ['campaigns'], refetchEveryMs: isMoving ? pollMs : undefined },
  )
  const state = read.data?.state
  // Emails of a cancelled campaign that are being handed over still change the numbers.
  const moves = state !== undefined && (isUnderWay(state) || (read.data?.waiting ?? 0) > 0)
  if (state !== undefined && moves !== isMoving) setMoving(moves)
  return read
}

function ProgressBody({ progress }: { readonly progress: Progress }) {
  const parts = sendingParts(progress)
  return (
    <div class="stack">
      {progress.reason !== null && (
        <p class="sending-reason" role="alert">
          {progress.reason}
        </p>
      )}
      <p class="sending-line" role="status">
        {sentence(progress)}
      </p>
      <div class="sending-bar" aria-hidden="true">
        {parts.map(({ name, share }) => (
          <div
            key={name}
            class={`sending-part sending-${name}`}
            style={{ width: `${share * 100}%` }}
          />
        ))}
      </div>
      <dl class="figures">
        <Figure name="Recipients" value={progress.audience} />
        {parts.map(({ name, label, value }) => (
          <Figure key={name} name={label} value={value} mark={name} />
        ))}
      </dl>
      {progress.uncertain > 0 && (
        <p class="small soft">
          Uncertain: handed to the mail server, which never answered. They may have arrived, so they
          are not sent again automatically.
        </p>
      )}
    </div>
  )
}

function Figure({
  name,
  value,
  mark,
}: {
  readonly name: string
  readonly value: number
  readonly mark?: string
}) {
  return (
    <div class={mark === undefined ? 'figure' : `figure figure-${mark}`}>
      <dt>{name}</dt>
      <dd>{formatNumber(value)}</dd>
    </div>
  )
}

function sentence(progress: Progress) {
  const { state, audience, waiting, ratePerSecond, rateMax, etaSeconds } = progress
  const done = audience - waiting
  const share = audience === 0 ? '' : ` (${formatShare(done / audience, 0)})`
  switch (state) {
    case 'preparing':
      return 'Collecting the recipients …'
    case 'sending':
      return [
        `${formatNumber(done)} of ${formatNumber(audience)}${share}`,
        ratePerSecond === null ? undefined : `${formatNumber(ratePerSecond)} a second`,
        rateMax === null ? undefined : `limit ${formatNumber(rateMax)} a second`,
        etaSeconds === null ? 'time left unknown' : `${formatDuration(etaSeconds * 1_000)} left`,
      ]
        .filter((part) => part !== undefined)
        .join(' · ')
    case 'paused':
      return `Paused. ${countOf(waiting, 'person waits', 'people wait')} for it, ${formatNumber(progress.sent)} got it.`
    case 'cancelled':
      return `Cancelled. ${countOf(progress.sent, 'person has', 'people have')} got it, ${formatNumber(progress.cancelled + waiting)} will not.`
    case 'failed':
      return 'It failed.'
    default:
      return (
        <>
          Sent to {countOf(progress.sent, 'person', 'people')}, finished{' '}
          <Time at={progress.finishedAt} />.
        </>
      )
  }
}

function Steps({
  campaignId,
  progress,
}: {
  readonly campaignId: string
  readonly progress: Progress
}) {
  const [isCancelling, setCancelling] = useState(false)
  const [isRating, setRating] = useState(false)
  const [busy, setBusy] = useState<Step>()
  if (!canWrite.value || !isUnderWay(progress.state)) return null
  const take = async (step: Step, done: string) => {
    setBusy(step)
    await runChange({
      send: () =>
        request(`POST /api/v1/admin/email/campaigns/{campaign_id}/${step}`, {
          params: { campaign_id: campaignId },
        }),
      done,
    })
    await invalidateCampaign()
    setBusy(undefined)
  }
  return (
    <>
      <Button size="s" icon="gauge" onClick={() => setRating(true)}>
        Rate
      </Button>
      {progress.state === 'paused' ? (
        <Button
          size="s"
          kind="primary"
          icon="play"
          busy={busy === 'resume'}
          onClick={() => void take('resume', 'Sending again.')}
        >
          Resume
        </Button>
      ) : (
        <Button
          size="s"
          icon="pause"
          busy={busy === 'pause'}
          onClick={() => void take('pause', 'Paused.')}
        >
          Pause
        </Button>
      )}
      <Button size="s" onClick={() => setCancelling(true)}>
        Cancel …
      </Button>
      {isCancelling && (
        <ConfirmDialog
          title="Cancel the campaign?"
          confirm="Cancel the campaign"
          danger
          onConfirm={() => take('cancel', 'Cancelled.')}
          onClose={() => setCancelling(false)}
        >
          <p>
            {countOf(progress.sent, 'person has', 'people have')} got it already.{' '}
            {countOf(progress.waiting, 'person', 'people')} will not get it. This cannot be undone;
            to go on later, pause it instead.
          </p>
        </ConfirmDialog>
      )}
      {isRating && (
        <RateDialog
          campaignId={campaignId}
          rateMax={progress.rateMax}
          onClose={() => setRating(false)}
        />
      )}
    </>
  )
}

function RateDialog({
  campaignId,
  rateMax,
  onClose,
}: {
  readonly campaignId: string
  readonly rateMax: number | null
  readonly onClose: () => void
}) {
  const [text, setText] = useState(rateMax === null ? '' : String(rateMax))
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const rate = text.trim() === '' ? null : Number(text)
  const isWrong = rate !== null && (!Number.isInteger(rate) || rate < 1 || rate > 10_000)
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await request('PUT /api/v1/admin/email/campaigns/{campaign_id}/rate', {
        params: { campaign_id: campaignId },
        body: { ratePerSecond: rate },
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
      title="Rate of this campaign"
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="rate" busy={busy} disabled={isWrong}>
            Set the rate
          </Button>
        </>
      }
    >
      <form id="rate" class="form" onSubmit={(event) => void save(event)}>
        <TextField
          label="Emails per second, at most"
          type="number"
          min={1}
          max={10_000}
          value={text}
          placeholder="No limit"
          error={isWrong ? 'must be a whole number from 1 to 10,000' : undefined}
          hint="The limit of the installation applies as well. Blank removes the limit of this campaign."
          onText={setText}
        />
        {problem !== undefined && <ProblemBox problem={problem} />}
      </form>
    </Dialog>
  )
}
