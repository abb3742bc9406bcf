import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { CheckField, TextAreaField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { decide, type QueueItem } from './decide.ts'

interface DeclineProps {
  readonly projectId: string
  readonly item: QueueItem
  readonly onClose: () => void
}

export function DeclineDialog({ projectId, item, onClose }: DeclineProps) {
  const [reason, setReason] = useState('')
  const [tellAuthor, setTellAuthor] = useState(false)
  const decline = () => {
    decide(projectId, item, {
      decision: 'reject',
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      ...(tellAuthor ? { tell_author: true } : {}),
    })
    onClose()
  }
  return (
    <Dialog
      title={item.kind === 'idea' ? 'Decline the idea' : 'Decline the comment'}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="decline">
            Decline
          </Button>
        </>
      }
    >
      <form
        id="decline"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          decline()
        }}
      >
        <TextAreaField
          label="Reason"
          hint="Optional. It is kept in the history."
          rows={3}
          maxLength={1_000}
          value={reason}
          onText={setReason}
          autofocus
        />
        {item.kind === 'idea' && item.author !== null && (
          <CheckField
            label="Tell the author by email"
            hint="With the reason, if the author left an address."
            checked={tellAuthor}
            onChecked={setTellAuthor}
          />
        )}
      </form>
    </Dialog>
  )
}
