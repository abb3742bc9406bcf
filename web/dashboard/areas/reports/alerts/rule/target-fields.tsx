import { CheckField, SelectField, TextField } from '../../../../design/forms/field.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { ChipsField } from './chips-field.tsx'
import type { DraftTarget } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'

interface FieldsProps {
  readonly target: DraftTarget
  readonly path: string
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onFields: (fields: Readonly<Record<string, unknown>>) => void
}

const urlHints: Readonly<Record<string, string>> = {
  webhook: 'Receives signed POST requests. Its secret is shown once, after saving.',
  slack: 'URL of an incoming webhook: api.slack.com/messaging/webhooks',
  discord: 'Channel settings, Integrations, Webhooks, Copy webhook URL.',
  teams: 'URL of the workflow “When a Teams webhook request is received”.',
  ntfy: 'With the topic: https://ntfy.sh/my-topic',
}

/** The settings of one channel. Stored secrets are never shown; an empty field keeps them. */
export function TargetFields(props: FieldsProps) {
  const { target, path, errors, disabled, onFields } = props
  const { type, fields, stored } = target
  const text = (
    name: string,
    label: string,
    { hint, secret = false }: { readonly hint?: string; readonly secret?: boolean } = {},
  ) => {
    const isKept = secret && stored !== undefined
    return (
      <TextField
        key={name}
        label={label}
        type={secret && !name.includes('url') ? 'password' : 'text'}
        autocomplete="off"
        spellcheck={false}
        {...(hint === undefined ? {} : { hint })}
        {...(isKept ? { placeholder: keptText(target) } : {})}
        value={String(fields[name] ?? '')}
        disabled={disabled}
        error={errors.of(`${path}.${name}`)}
        onText={(value) => onFields({ [name]: value })}
      />
    )
  }
  switch (type) {
    case 'email':
      return <Recipients {...props} />
    case 'webhook':
      return text('url', 'URL', { hint: urlHints['webhook'] ?? '' })
    case 'slack':
    case 'discord':
    case 'teams':
      return text('url', 'URL', { hint: urlHints[type] ?? '', secret: true })
    case 'telegram':
      return (
        <div class="alert-fields">
          {text('bot_token', 'Token of the bot', { hint: 'From @BotFather.', secret: true })}
          {text('chat_id', 'Chat', { hint: 'A number such as -1001234, or @channel.' })}
        </div>
      )
    case 'ntfy':
      return (
        <>
          <div class="alert-fields">
            {text('url', 'URL', { hint: urlHints['ntfy'] ?? '' })}
            {text('token', 'Token', { hint: 'If the topic is protected.', secret: true })}
          </div>
          {stored?.type === 'ntfy' && stored.has_token && (
            <CheckField
              label="Remove the stored token"
              checked={fields['token'] === null}
              disabled={disabled}
              onChecked={(checked) => onFields({ token: checked ? null : '' })}
            />
          )}
        </>
      )
    case 'pagerduty':
      return text('routing_key', 'Routing key', {
        hint: 'Of an integration with the Events API v2.',
        secret: true,
      })
    case 'opsgenie':
      return (
        <div class="alert-fields">
          {text('api_key', 'API key', { secret: true })}
          <SelectField
            label="Region"
            value={String(fields['region'] ?? 'us')}
            choices={[
              { value: 'us', label: 'United States' },
              { value: 'eu', label: 'Europe' },
            ]}
            disabled={disabled}
            error={errors.of(`${path}.region`)}
            onValue={(region) => onFields({ region })}
          />
        </div>
      )
  }
}

function keptText({ stored }: DraftTarget): string {
  return stored !== undefined && 'url' in stored && stored.type !== 'ntfy'
    ? `unchanged (${stored.url})`
    : 'unchanged'
}

function Recipients({ target, path, errors, disabled, onFields }: FieldsProps) {
  const people = useRead('GET /api/v1/organization/people', {})
  const teams = useRead('GET /api/v1/organization/teams', {})
  const to = Array.isArray(target.fields['to']) ? (target.fields['to'] as string[]) : []
  const persons = people.data?.items ?? []
  // A stored recipient may be the id of a person: its address says more.
  const shown = to.map((value) => persons.find(({ id }) => id === value)?.email ?? value)
  return (
    <ChipsField
      label="Recipients"
      values={shown}
      suggestions={[
        'owners',
        'assignee',
        ...(teams.data?.items.map(({ slug }) => `team:${slug}`) ?? []),
        ...persons.map(({ email }) => email),
      ]}
      placeholder="owners, assignee, team:… or an email address"
      hint="People of the organization, or addresses at a domain that it has verified."
      disabled={disabled}
      error={errors.of(`${path}.to`)}
      onValues={(values) => onFields({ to: values })}
    />
  )
}
