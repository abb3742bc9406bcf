import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import type { IssueDetail } from '../issue-reads.ts'
import { changeIssue } from './change-issue.ts'

interface IgnoreProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly onClose: () => void
}

/** The first condition that holds ends ignoring. */
export function IgnoreDialog({ projectId, issue, onClose }: IgnoreProps) {
  const [events, setEvents] = useState('')
  const [users, setUsers] = useState('')
  const [at, setAt] = useState('')
  const [isEscalating, setEscalating] = useState(false)
  const [isTried, setTried] = useState(false)
  const eventsRule = countRule(events, 1_000_000_000)
  const usersRule = countRule(users, 100_000)
  const atRule = timeRule(at)
  const isEmpty = events === '' && users === '' && at === '' && !isEscalating
  const ignore = () => {
    setTried(true)
    if (eventsRule ?? usersRule ?? atRule) return
    if (isEmpty) return
    onClose()
    const until = {
      ...(events === '' ? {} : { events: Number(events) }),
      ...(users === '' ? {} : { users: Number(users) }),
      ...(at === '' ? {} : { at: new Date(at).toISOString() }),
      ...(isEscalating ? { escalating: true } : {}),
    }
    void changeIssue({ projectId, issue }, { ignore_until: until }, `Ignored ${issue.short_id}.`)
  }
  return (
    <Dialog
      title={`Ignore ${issue.short_id} until`}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={ignore}>
            Ignore
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          ignore()
        }}
      >
        <TextField
          label="So many more events"
          inputMode="numeric"
          value={events}
          onText={setEvents}
          error={isTried ? eventsRule : undefined}
        />
        <TextField
          label="So many more users"
          inputMode="numeric"
          value={users}
          onText={setUsers}
          error={isTried ? usersRule : undefined}
        />
        <TextField
          label="This time"
          type="datetime-local"
          value={at}
          onText={setAt}
          error={isTried ? atRule : undefined}
        />
        <CheckField
          label="It escalates"
          hint="An hour has many more events than expected."
          checked={isEscalating}
          onChecked={setEscalating}
        />
        {isTried && isEmpty && (
          <p class="field-error" role="alert">
            Give at least one condition. “Forever” is in the menu.
          </p>
        )}
        <button type="submit" class="screen-reader">
          Ignore
        </button>
      </form>
    </Dialog>
  )
}

function countRule(text: string, max: number): string | undefined {
  if (text === '') return undefined
  const count = Number(text)
  const isValid = Number.isInteger(count) && count >= 1 && count <= max
  return isValid ? undefined : `must be a whole number from 1 to ${max.toLocaleString('en')}`
}

function timeRule(text: string): string | undefined {
  if (text === '') return undefined
  const ms = new Date(text).getTime()
  return Number.isFinite(ms) && ms > Date.now() ? undefined : 'must be a time in the future'
}
