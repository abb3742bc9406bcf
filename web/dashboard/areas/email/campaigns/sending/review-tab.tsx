import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Facts } from '../../../../design/content/data-table.tsx'
import { countOf, formatBytes, formatNumber } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded } from '../../../../design/content/states.tsx'
import { CheckField, SelectField, TextField } from '../../../../design/forms/field.tsx'
import { Icon } from '../../../../design/icon.tsx'
import type { Reply } from '../../../../http/request.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import type { CampaignDetail } from '../editor/use-draft.ts'
import { checkHelp, sortChecks } from './check-help.ts'
import { SendDialog } from './send-dialog.tsx'
import { instantOfWall, localZone, timeZones, wallTime } from './zoned-time.ts'

type Preflight = Reply<'GET /api/v1/admin/email/campaigns/{campaign_id}/preflight'>

/** What is checked before a campaign is sent, who gets it, and when it goes out. */
export function ReviewTab({
  campaign,
  version,
}: {
  readonly campaign: CampaignDetail
  readonly version: string
}) {
  const params = { campaign_id: campaign.id }
  const preflight = useRead('GET /api/v1/admin/email/campaigns/{campaign_id}/preflight', {
    params,
  })
  const newsletter = useRead('GET /api/v1/organization/newsletters/{newsletter}', {
    params: { newsletter: campaign.newsletter },
  })
  return (
    <div class="review" data-version={version}>
      <Panel
        title="Before you send"
        actions={
          <Button size="s" icon="refresh" busy={preflight.isFetching} onClick={preflight.refetch}>
            Check again
          </Button>
        }
      >
        <Loaded read={preflight} lines={8}>
          {(checked) => <CheckList campaign={campaign} checked={checked} />}
        </Loaded>
      </Panel>
      <div class="stack">
        <Panel title="Who gets it">
          <Loaded read={preflight} lines={3}>
            {(checked) => <Audience campaign={campaign} checked={checked} />}
          </Loaded>
        </Panel>
        {canWrite.value && (
          <Panel title="Send">
            <Loaded read={preflight} lines={4}>
              {(checked) => (
                <SendForm
                  campaign={campaign}
                  checked={checked}
                  sender={senderOf(newsletter.data)}
                />
              )}
            </Loaded>
          </Panel>
        )}
      </div>
    </div>
  )
}

export function senderOf(
  newsletter: Reply<'GET /api/v1/organization/newsletters/{newsletter}'> | undefined,
): string {
  if (newsletter === undefined) return ''
  return `${newsletter.from_name ?? newsletter.name} <${newsletter.from_address}>`
}

const levelIcons = { ok: 'check', warning: 'alert', error: 'close' } as const
const levelWords = { ok: 'Fine', warning: 'Worth a look', error: 'Stops sending' } as const

function CheckList({
  campaign,
  checked,
}: {
  readonly campaign: CampaignDetail
  readonly checked: Preflight
}) {
  const place = { campaignId: campaign.id, newsletter: campaign.newsletter }
  return (
    <ul class="checks">
      {sortChecks(checked.checks).map((check) => {
        const help = check.level === 'ok' ? undefined : checkHelp(check.name, place)
        return (
          <li key={`${check.name} ${check.sentence}`} data-level={check.level}>
            <Icon name={levelIcons[check.level]} />
            <span>
              <span class="screen-reader">{levelWords[check.level]}: </span>
              <Sentence text={check.sentence} />{' '}
              {help !== undefined && (
                <a class="check-help" href={help.href}>
                  {help.label}
                </a>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** What stands between backticks is a command. */
function Sentence({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}

function Audience({
  campaign,
  checked: { audience, htmlBytes },
}: {
  readonly campaign: CampaignDetail
  readonly checked: Preflight
}) {
  const sample = useRead('GET /api/v1/admin/email/contacts', {
    query: { newsletter: campaign.newsletter, status: 'subscribed', limit: 5 },
  })
  return (
    <div class="stack">
      <Facts
        facts={[
          { name: 'Recipients', value: <strong>{formatNumber(audience.receiving)}</strong> },
          { name: 'Subscribed', value: formatNumber(audience.subscribed) },
          {
            name: 'Suppressed',
            value:
              audience.suppressed === 0
                ? '0'
                : `${formatNumber(audience.suppressed)}; they get nothing`,
          },
          { name: 'Size', value: formatBytes(htmlBytes) },
        ]}
      />
      {(sample.data?.items.length ?? 0) > 0 && (
        <div>
          <p class="small soft">The newest subscribers</p>
          <ul class="audience-sample">
            {sample.data?.items.map(({ id, email, name }) => (
              <li key={id} class="truncate">
                <a href={`/email/contacts/${id}`}>{email ?? 'erased'}</a>
                {name !== null && <span class="soft"> {name}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      <p class="small soft">
        A campaign goes to everybody who is subscribed when sending begins. There are no segments.
      </p>
    </div>
  )
}

function SendForm({
  campaign,
  checked,
  sender,
}: {
  readonly campaign: CampaignDetail
  readonly checked: Preflight
  readonly sender: string
}) {
  const local = localZone()
  const [isLater, setLater] = useState(false)
  const [zone, setZone] = useState(local)
  const [wall, setWall] = useState(() => wallTime(Date.now() + 3_600_000, local))
  const [rate, setRate] = useState('')
  const [isWarmUp, setWarmUp] = useState(false)
  const [isForced, setForced] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const atMs = isLater ? instantOfWall(wall, zone) : undefined
  const isPast = isLater && (atMs === undefined || atMs <= Date.now())
  const rateNumber = rate === '' ? undefined : Number(rate)
  const isRateWrong =
    rateNumber !== undefined &&
    (!Number.isInteger(rateNumber) || rateNumber < 1 || rateNumber > 10_000)
  const errors = checked.checks.filter(({ level }) => level === 'error').length
  const { receiving } = checked.audience
  return (
    <div class="stack">
      <fieldset class="choices">
        <legend class="screen-reader">When</legend>
        <button type="button" aria-pressed={!isLater} onClick={() => setLater(false)}>
          Now
        </button>
        <button type="button" aria-pressed={isLater} onClick={() => setLater(true)}>
          Later
        </button>
      </fieldset>
      {isLater && (
        <div class="form-row">
          <TextField
            label="Date and time"
            type="datetime-local"
            value={wall}
            error={isPast ? 'must be in the future' : undefined}
            onText={setWall}
          />
          <SelectField
            label="Time zone"
            value={zone}
            choices={timeZones(local).map((name) => ({
              value: name,
              label: name === local ? `${name} (yours)` : name.replaceAll('_', ' '),
            }))}
            onValue={setZone}
          />
        </div>
      )}
      <details class="send-more">
        <summary>Rate and warm-up</summary>
        <div class="stack">
          <TextField
            label="Emails per second, at most"
            type="number"
            min={1}
            max={10_000}
            value={rate}
            placeholder="No limit"
            error={isRateWrong ? 'must be a whole number from 1 to 10,000' : undefined}
            hint="It can be changed while the campaign is sending."
            onText={setRate}
          />
          <CheckField
            label="Warm up"
            checked={isWarmUp}
            hint="At most 200 emails on the first day, then twice as many each day. For a new domain."
            onChecked={setWarmUp}
          />
        </div>
      </details>
      {errors > 0 && (
        <CheckField
          label={`Send although ${countOf(errors, 'check')} ${errors === 1 ? 'fails' : 'fail'}`}
          checked={isForced}
          onChecked={setForced}
        />
      )}
      <Button
        kind="primary"
        icon={isLater ? 'clock' : 'send'}
        disabled={isPast || isRateWrong || (errors > 0 && !isForced)}
        onClick={() => setAsking(true)}
      >
        {isLater ? 'Schedule …' : `Send to ${countOf(receiving, 'person', 'people')} …`}
      </Button>
      {isAsking && (
        <SendDialog
          campaign={campaign}
          sender={sender}
          receiving={receiving}
          atMs={atMs}
          zone={zone}
          ratePerSecond={rateNumber}
          warmUp={isWarmUp}
          force={isForced}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
