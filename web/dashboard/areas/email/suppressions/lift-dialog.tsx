import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { changedBySuppressions, type Suppression } from './suppression-words.ts'

export function LiftDialog({
  suppression,
  onClose,
}: {
  readonly suppression: Suppression
  readonly onClose: () => void
}) {
  const email = suppression.email ?? ''
  const isComplaint = suppression.cause === 'complaint'
  const [reason, setReason] = useState('')
  const [isSure, setSure] = useState(false)
  const submit = useSubmit(async () => {
    await request('POST /api/v1/admin/email/suppressions/lift', {
      body: { email, reason, ...(isComplaint ? { complaint: isSure } : {}) },
    })
    await invalidateReads(...changedBySuppressions)
    showToast({ kind: 'done', text: `Lifted the suppression of ${email}.` })
    onClose()
  })
  const unplaced = submit.unplaced(['reason', 'complaint'])
  return (
    <Dialog title="Lift the suppression" size="s" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <p>
          {isComplaint
            ? `${email} reported an email as spam. After the lift its contacts are unsubscribed: they get no campaigns, but transactional emails.`
            : `Emails are sent to ${email} again, and its contacts get back the status that they had before.`}
        </p>
        <TextField
          label="Reason"
          required
          value={reason}
          onText={setReason}
          error={submit.ruleOf('reason')}
          hint="Kept with the contacts and in the audit log."
        />
        {isComplaint && (
          <CheckField
            label="Lift it although the person complained"
            checked={isSure}
            onChecked={setSure}
            error={submit.ruleOf('complaint')}
          />
        )}
        <div class="form-actions">
          <Button
            kind="primary"
            type="submit"
            busy={submit.isBusy}
            disabled={isComplaint && !isSure}
          >
            Lift the suppression
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
