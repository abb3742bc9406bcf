import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { pastedUrl } from './pasted-url.ts'
import { hookList, type Provider, providers } from './providers.ts'

const create = 'POST /api/v1/admin/email/bounce-adapters'

export function CreateHookDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void
  readonly onCreated: (url: string) => void
}) {
  const [adapter, setAdapter] = useState<Provider>('ses')
  const [label, setLabel] = useState('')
  const [settings, setSettings] = useState<Readonly<Record<string, string>>>({})
  const { fields, hint } = providers[adapter]
  const submit = useSubmit(async () => {
    const body = { adapter, settings, ...(label === '' ? {} : { label }) } as Body<typeof create>
    const { url } = await request(create, { body })
    await invalidateReads(hookList)
    onCreated(pastedUrl(adapter, url, settings))
  })
  const unplaced = submit.unplaced(['label', ...fields.map(({ name }) => `settings.${name}`)])
  return (
    <Dialog title="Create a provider hook" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <SelectField
          label="Provider"
          value={adapter}
          choices={Object.entries(providers).map(([value, { name }]) => ({ value, label: name }))}
          hint={hint}
          onValue={(value) => {
            setAdapter(value as Provider)
            setSettings({})
          }}
        />
        {fields.map((field) => (
          <TextField
            key={`${adapter}.${field.name}`}
            label={field.label}
            required
            type={field.isSecret === true ? 'password' : 'text'}
            autocomplete="off"
            value={settings[field.name] ?? ''}
            onText={(text) => setSettings({ ...settings, [field.name]: text })}
            error={submit.ruleOf(`settings.${field.name}`)}
            {...(field.hint === undefined ? {} : { hint: field.hint })}
          />
        ))}
        <TextField label="Label" value={label} onText={setLabel} error={submit.ruleOf('label')} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Create the hook
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
