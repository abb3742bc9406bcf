import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { numberOrNull } from '../form/number-or-null.ts'
import { type DsnKey, dsnKeyList } from './dsn-key.ts'

/** Creates a DSN key, or edits the given one. */
export function KeyDialog({
  projectId,
  dsnKey,
  onClose,
  onCreated,
}: {
  readonly projectId: string
  readonly dsnKey: DsnKey | undefined
  readonly onClose: () => void
  readonly onCreated: (key: DsnKey) => void
}) {
  const [label, setLabel] = useState(dsnKey?.label ?? '')
  const [rate, setRate] = useState(String(dsnKey?.rate_limit ?? ''))
  const submit = useSubmit(async () => {
    const params = { project_id: projectId }
    const body = {
      label: label.trim() === '' ? null : label.trim(),
      rate_limit: numberOrNull(rate),
    }
    if (dsnKey === undefined) {
      onCreated(await request('POST /api/v1/projects/{project_id}/keys', { params, body }))
    } else {
      const keyParams = { ...params, key_id: dsnKey.id }
      await request('PATCH /api/v1/projects/{project_id}/keys/{key_id}', {
        params: keyParams,
        body,
      })
      onClose()
    }
    await invalidateReads(dsnKeyList)
  })
  const unplaced = submit.unplaced(['label', 'rate_limit'])
  return (
    <Dialog
      title={dsnKey === undefined ? 'Create a key' : 'Edit the key'}
      size="s"
      onClose={onClose}
    >
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Label"
          value={label}
          onText={setLabel}
          placeholder="worker"
          error={submit.ruleOf('label')}
          hint="The component that the key is for. Its events have the label as their component."
        />
        <TextField
          label="Rate limit"
          inputMode="numeric"
          value={rate}
          onText={setRate}
          error={submit.ruleOf('rate_limit')}
          hint="Events per minute; further ones are answered with 429. Empty: only the quota of the project."
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            {dsnKey === undefined ? 'Create the key' : 'Save'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
