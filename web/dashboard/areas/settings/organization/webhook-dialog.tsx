import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { type Webhook, webhookList } from './webhook.ts'
import './webhooks.css'

type EventType = Webhook['events'][number]

const eventGroups: readonly { readonly label: string; readonly types: readonly EventType[] }[] = [
  {
    label: 'Contacts',
    types: [
      'contact.subscribed',
      'contact.confirmed',
      'contact.unsubscribed',
      'contact.bounced',
      'contact.complained',
    ],
  },
  {
    label: 'Emails',
    types: ['email.delivered', 'email.bounced', 'email.opened', 'email.clicked'],
  },
  { label: 'Ideas', types: ['idea.created', 'idea.status_changed', 'idea.commented'] },
]

/** Creates a webhook, or edits the given one. */
export function WebhookDialog({
  webhook,
  onClose,
  onCreated,
}: {
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
  readonly onCreated: (secret: string) => void
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [label, setLabel] = useState(webhook?.label ?? '')
  const [events, setEvents] = useState<readonly EventType[]>(webhook?.events ?? [])
  const submit = useSubmit(async () => {
    const body = { url, label, events: [...events] }
    if (webhook === undefined) {
      const { secret } = await request('POST /api/v1/organization/webhooks', { body })
      onCreated(secret)
    } else {
      const params = { id: webhook.id }
      await request('PATCH /api/v1/organization/webhooks/{id}', { params, body })
      onClose()
    }
    await invalidateReads(webhookList)
  })
  const unplaced = submit.unplaced(['url', 'label', 'events'])
  const choose = (type: EventType, isChosen: boolean) =>
    setEvents(isChosen ? [...events, type] : events.filter((one) => one !== type))
  return (
    <Dialog
      title={webhook === undefined ? 'Create a webhook' : 'Edit the webhook'}
      onClose={onClose}
    >
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="URL"
          type="url"
          required
          value={url}
          onText={setUrl}
          placeholder="https://example.com/hook"
          error={submit.ruleOf('url')}
        />
        <TextField
          label="Label"
          value={label}
          onText={setLabel}
          error={submit.ruleOf('label')}
          hint="Shown in place of the URL."
        />
        <fieldset class="fieldset">
          <legend>Events</legend>
          <div class="webhook-events">
            {eventGroups.map(({ label: group, types }) => (
              <div key={group}>
                <p class="soft small">{group}</p>
                {types.map((type) => (
                  <CheckField
                    key={type}
                    label={type}
                    checked={events.includes(type)}
                    onChecked={(isChecked) => choose(type, isChecked)}
                  />
                ))}
              </div>
            ))}
          </div>
          {submit.ruleOf('events') !== undefined && (
            <p class="field-error" role="alert">
              {submit.ruleOf('events')}
            </p>
          )}
        </fieldset>
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy} disabled={events.length === 0}>
            {webhook === undefined ? 'Create the webhook' : 'Save'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
