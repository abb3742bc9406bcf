import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { ProblemBox } from '../../../design/content/states.tsx'
import { TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem, type Problem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { useProjectId } from '../../../url/use-project.ts'
import type { Quota } from './quota-page.tsx'

const operation = 'PUT /api/v1/projects/{project_id}/quota'
const fields = [
  {
    name: 'monthly_events',
    label: 'Events per month',
    hint: 'Further events are refused until the next month (UTC). Empty: no limit.',
  },
  {
    name: 'per_minute',
    label: 'Events per minute',
    hint: 'Protects the month from one bad minute. Empty: no limit.',
  },
  {
    name: 'per_issue_per_minute',
    label: 'Events per issue and minute',
    hint: 'Beyond it a sample is stored, and all are counted. Empty: no limit.',
  },
] as const

type Name = (typeof fields)[number]['name']

export function QuotaForm({
  quota,
  onClose,
}: {
  readonly quota: Quota
  readonly onClose: () => void
}) {
  const project_id = useProjectId()
  const [texts, setTexts] = useState<Readonly<Record<Name, string>>>({
    monthly_events: textOf(quota.monthly_events),
    per_minute: textOf(quota.per_minute),
    per_issue_per_minute: textOf(quota.per_issue_per_minute),
  })
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const limit = numberIn(texts.monthly_events)
  const save = async () => {
    setBusy(true)
    setProblem(undefined)
    // Only what was edited, so that two people do not undo each other's change.
    const body = Object.fromEntries(
      fields
        .filter(({ name }) => texts[name] !== textOf(quota[name]))
        .map(({ name }) => [name, numberIn(texts[name])]),
    ) as Body<typeof operation>
    try {
      await request(operation, { params: { project_id }, body })
      showToast({ kind: 'done', text: 'Saved. The limits take effect within five seconds.' })
      void invalidateReads('GET /api/v1/projects/{project_id}/quota')
      onClose()
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="Limits"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <button type="submit" hidden />
        {problem !== undefined && problem.details.length === 0 && <ProblemBox problem={problem} />}
        {fields.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            inputMode="numeric"
            value={texts[name]}
            error={problem?.ruleOf(name)}
            onText={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
        {typeof limit === 'number' && limit <= quota.used && (
          <p class="field-error" role="status">
            {formatNumber(quota.used)} events are used already: all further events of this month
            would be refused.
          </p>
        )}
      </form>
    </Dialog>
  )
}

function textOf(limit: number | null): string {
  return limit === null ? '' : String(limit)
}

/** Empty: no limit. Text that is not a number is sent, and the server names the rule. */
function numberIn(text: string): number | null | string {
  const plain = text.replace(/[\s,_]/g, '')
  if (plain === '') return null
  return Number.isNaN(Number(plain)) ? text : Number(plain)
}
