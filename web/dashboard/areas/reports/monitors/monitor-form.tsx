import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { asProblem, type Problem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { Notice } from '../common/numbers.tsx'
import { TimeZoneField } from '../common/time-zone-field.tsx'
import type { Monitor } from './monitor-status.tsx'
import { scheduleWords } from './schedule-words.ts'

const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
const fields = [
  'checkin_margin',
  'max_runtime',
  'failure_issue_threshold',
  'recovery_threshold',
] as const
type NumberField = (typeof fields)[number]

const fieldTexts: Readonly<Record<NumberField, { readonly label: string; readonly hint: string }>> =
  {
    checkin_margin: { label: 'May be late, minutes', hint: 'A run is missed after this.' },
    max_runtime: { label: 'May take, minutes', hint: 'A run is overrunning after this.' },
    failure_issue_threshold: { label: 'Failures until an issue', hint: 'In a row.' },
    recovery_threshold: { label: 'Successes until resolved', hint: 'In a row.' },
  }

/** Schedule and limits of a monitor. */
export function MonitorForm({
  monitor,
  onClose,
}: {
  readonly monitor: Monitor
  readonly onClose: () => void
}) {
  const project_id = useProjectId()
  const { slug, schedule } = monitor
  const [type, setType] = useState<'crontab' | 'interval' | ''>(schedule?.type ?? '')
  const [crontab, setCrontab] = useState(
    schedule?.type === 'crontab' ? schedule.value : '0 3 * * *',
  )
  const [count, setCount] = useState(schedule?.type === 'interval' ? String(schedule.value) : '1')
  const [unit, setUnit] = useState<string>(schedule?.type === 'interval' ? schedule.unit : 'hour')
  const [timezone, setTimezone] = useState(monitor.timezone)
  const [numbers, setNumbers] = useState<Readonly<Record<NumberField, string>>>({
    checkin_margin: String(monitor.checkin_margin),
    max_runtime: String(monitor.max_runtime),
    failure_issue_threshold: String(monitor.failure_issue_threshold),
    recovery_threshold: String(monitor.recovery_threshold),
  })
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)

  const typed =
    type === 'crontab'
      ? { type, value: crontab }
      : type === 'interval'
        ? { type, value: numberOf(count), unit }
        : undefined
  const save = async () => {
    setBusy(true)
    setProblem(undefined)
    const body = {
      ...(typed === undefined ? {} : { schedule: typed }),
      timezone,
      ...Object.fromEntries(fields.map((field) => [field, numberOf(numbers[field])])),
    } as Body<'PATCH /api/v1/projects/{project_id}/monitors/{slug}'>
    try {
      await request('PATCH /api/v1/projects/{project_id}/monitors/{slug}', {
        params: { project_id, slug },
        body,
      })
      showToast({ kind: 'done', text: `Saved ${slug}.` })
      void invalidateReads(
        'GET /api/v1/projects/{project_id}/monitors/{slug}',
        'GET /api/v1/projects/{project_id}/monitors',
      )
      onClose()
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  const ruleOf = (field: string) => problem?.ruleOf(field)
  const words =
    typed === undefined || (typed.type === 'interval' && !Number.isInteger(typed.value))
      ? undefined
      : scheduleWords(typed as NonNullable<Monitor['schedule']>)
  return (
    <Dialog
      title={`Edit ${slug}`}
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
        <div class="form-row">
          <SelectField
            label="Schedule"
            value={type}
            error={ruleOf('schedule') ?? ruleOf('schedule.type')}
            choices={[
              ...(schedule === null ? [{ value: '', label: 'None' }] : []),
              { value: 'crontab', label: 'Crontab' },
              { value: 'interval', label: 'Interval' },
            ]}
            onValue={(value) => setType(value as typeof type)}
          />
          {type === 'crontab' && (
            <TextField
              label="Crontab"
              value={crontab}
              onText={setCrontab}
              spellcheck={false}
              error={ruleOf('schedule.value')}
            />
          )}
          {type === 'interval' && (
            <>
              <TextField
                label="Every"
                inputMode="numeric"
                value={count}
                onText={setCount}
                error={ruleOf('schedule.value')}
              />
              <SelectField
                label="Unit"
                value={unit}
                error={ruleOf('schedule.unit')}
                choices={units.map((name) => ({ value: name, label: `${name}s` }))}
                onValue={setUnit}
              />
            </>
          )}
        </div>
        {words !== undefined && (
          <p class="small soft" aria-live="polite">
            {words}, {timezone}.
          </p>
        )}
        <TimeZoneField value={timezone} onText={setTimezone} error={ruleOf('timezone')} />
        <div class="form-row">
          {fields.map((field) => (
            <TextField
              key={field}
              label={fieldTexts[field].label}
              hint={fieldTexts[field].hint}
              inputMode="numeric"
              value={numbers[field]}
              error={ruleOf(field)}
              onText={(text) => setNumbers({ ...numbers, [field]: text })}
            />
          ))}
        </div>
        <Notice>
          A job that sends its own <code>monitor_config</code> replaces these settings with its next
          check-in.
        </Notice>
      </form>
    </Dialog>
  )
}

/** Text that is not a number is sent, and the server names the rule. */
function numberOf(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}
