import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { BlockedDomains } from './blocked-domains.tsx'
import './email-settings.css'

const transport = 'GET /api/v1/admin/email/transport'

/** What applies to all newsletters of the organization. */
export function EmailSettingsPage() {
  const read = useRead(transport, {})
  return (
    <Page title="Email settings">
      <Panel title="Rate of campaigns">
        <Loaded read={read} lines={2}>
          {({ ratePerSecond }) => <RateForm key={ratePerSecond} rate={ratePerSecond} />}
        </Loaded>
      </Panel>
      <BlockedDomains />
      <Panel title="Elsewhere">
        <ul class="email-elsewhere">
          <li>
            <a href="/organization/api-keys">API keys</a>
            <span class="soft">Let your application send emails and add contacts.</span>
          </li>
          <li>
            <a href="/organization/webhooks">Webhooks</a>
            <span class="soft">Notified of confirmed contacts, bounces and unsubscribes.</span>
          </li>
          <li>
            <a href="/email/bounces?tab=hooks">Provider hooks</a>
            <span class="soft">Take reports of bounces from your email provider.</span>
          </li>
          <li>
            <a href="/email/domains">Sending domains</a>
            <span class="soft">Sign the emails of your From addresses.</span>
          </li>
        </ul>
      </Panel>
    </Page>
  )
}

function RateForm({ rate }: { readonly rate: number | null }) {
  const [text, setText] = useState(rate === null ? '' : String(rate))
  const submit = useSubmit(async () => {
    const ratePerSecond = text.trim() === '' ? null : Number(text)
    await request('PUT /api/v1/admin/email/transport', { body: { ratePerSecond } })
    await invalidateReads(transport)
    showToast({ kind: 'done', text: 'Saved the rate.' })
  })
  const unplaced = submit.unplaced(['ratePerSecond'])
  const isSame = text.trim() === (rate === null ? '' : String(rate))
  return (
    <form class="stack" onSubmit={submit.onSubmit}>
      {unplaced !== undefined && <ProblemBox problem={unplaced} />}
      <div class="form-row email-rate">
        <TextField
          label="Emails per second"
          type="number"
          min={0}
          step="any"
          value={text}
          placeholder="No limit"
          disabled={!isOwner.value}
          onText={setText}
          error={submit.ruleOf('ratePerSecond')}
        />
        {isOwner.value && (
          <Button type="submit" busy={submit.isBusy} disabled={isSame}>
            Save
          </Button>
        )}
      </div>
      <p class="field-hint">
        All campaigns together. Blank means no limit. Other emails are never delayed by it.
        {!isOwner.value && ' Only owners can change it.'}
      </p>
    </form>
  )
}
