import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { changedBySuppressions } from './suppression-words.ts'

export function AddSuppressionDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [reason, setReason] = useState('')
  const submit = useSubmit(async () => {
    await request('POST /api/v1/admin/email/suppressions', {
      body: { email, reason: reason === '' ? null : reason },
    })
    await invalidateReads(...changedBySuppressions)
    onClose()
  })
  const unplaced = submit.unplaced(['email', 'reason'])
  return (
    <Dialog title="Suppress an address" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Email"
          type="email"
          required
          value={email}
          onText={setEmail}
          error={submit.ruleOf('email')}
          hint="No newsletter of the organization sends to it from now on."
        />
        <TextField
          label="Reason"
          value={reason}
          onText={setReason}
          error={submit.ruleOf('reason')}
          hint="Shown as its source in the list."
        />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={submit.isBusy}>
            Suppress the address
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
