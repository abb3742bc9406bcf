import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { countOf, formatNumber } from '../../../design/content/format.ts'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { choicesOf } from '../lists/filter-select.tsx'
import {
  changedBySuppressions,
  type SuppressionCause,
  suppressionCauses,
} from './suppression-words.ts'

const lift = 'POST /api/v1/admin/email/suppressions/lift-matching'

/** Counts first what a filter matches, then lifts exactly that. */
export function LiftMatchingDialog({
  cause: givenCause,
  source: givenSource,
  onClose,
}: {
  readonly cause: SuppressionCause | undefined
  readonly source: string | undefined
  readonly onClose: () => void
}) {
  const [cause, setCause] = useState<string>(givenCause ?? '')
  const [source, setSource] = useState(givenSource ?? '')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [reason, setReason] = useState('')
  const [isSure, setSure] = useState(false)
  /** The filter that was counted; lifting something else needs a new count. */
  const [counted, setCounted] = useState<{ readonly key: string; readonly matched: number }>()
  const [lifted, setLifted] = useState(0)
  const filter = {
    ...(cause === '' ? {} : { cause: cause as SuppressionCause }),
    ...(source.trim() === '' ? {} : { source: source.trim() }),
    ...(from === '' ? {} : { from: new Date(from).toISOString() }),
    ...(to === '' ? {} : { to: new Date(to).toISOString() }),
    ...(cause === 'complaint' ? { complaint: isSure } : {}),
  }
  const key = JSON.stringify(filter)
  const isCounted = counted?.key === key
  const submit = useSubmit(async () => {
    if (!isCounted) {
      const body = { ...filter, reason, dryRun: true }
      const { matched } = await request(lift, { body })
      setCounted({ key, matched })
      return
    }
    let total = 0
    let left = counted.matched
    // One request lifts at most 20,000.
    while (left > 0) {
      const done = await request(lift, { body: { ...filter, reason, dryRun: false } })
      total += done.lifted
      setLifted(total)
      if (done.lifted === 0) break
      left = done.remaining
    }
    await invalidateReads(...changedBySuppressions)
    showToast({ kind: 'done', text: `Lifted ${countOf(total, 'suppression')}.` })
    onClose()
  })
  const unplaced = submit.unplaced(['cause', 'source', 'from', 'to', 'reason', 'complaint'])
  return (
    <Dialog title="Lift many suppressions" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <p class="soft">
          For many wrong bounces at once, for example when a provider rejected all email for an
          hour. At least one filter is needed.
        </p>
        <div class="form-row">
          <SelectField
            label="Cause"
            value={cause}
            choices={[
              { value: '', label: 'Hard and soft bounces' },
              ...choicesOf(suppressionCauses),
            ]}
            onValue={setCause}
            error={submit.ruleOf('cause')}
          />
          <TextField
            label="Source"
            value={source}
            onText={setSource}
            placeholder="ses"
            error={submit.ruleOf('source')}
          />
        </div>
        <div class="form-row">
          <TextField
            label="Suppressed from"
            type="datetime-local"
            value={from}
            onText={setFrom}
            error={submit.ruleOf('from')}
          />
          <TextField
            label="Suppressed before"
            type="datetime-local"
            value={to}
            onText={setTo}
            error={submit.ruleOf('to')}
          />
        </div>
        <TextField
          label="Reason"
          required
          value={reason}
          onText={setReason}
          error={submit.ruleOf('reason')}
          hint="Kept with the contacts and in the audit log."
        />
        {cause === 'complaint' && (
          <CheckField
            label="Lift them although the people complained"
            hint="Their contacts become unsubscribed."
            checked={isSure}
            onChecked={setSure}
            error={submit.ruleOf('complaint')}
          />
        )}
        {isCounted && (
          <p role="status">
            <strong>{countOf(counted.matched, 'address', 'addresses')}</strong>{' '}
            {counted.matched === 1 ? 'matches' : 'match'}.
            {submit.isBusy && lifted > 0 && ` ${formatNumber(lifted)} lifted.`}
          </p>
        )}
        <div class="form-actions">
          {isCounted ? (
            <Button
              kind="danger"
              type="submit"
              busy={submit.isBusy}
              disabled={counted.matched === 0}
            >
              {`Lift ${countOf(counted.matched, 'suppression')}`}
            </Button>
          ) : (
            <Button kind="primary" type="submit" busy={submit.isBusy}>
              Count the addresses
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
