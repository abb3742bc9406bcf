import type { ComponentChildren } from 'preact'
import { SelectField } from '../../../../design/forms/field.tsx'
import { ChoicesField } from './choices-field.tsx'
import type { DraftCondition } from './draft.ts'
import type { FieldErrors } from './field-errors.ts'
import { DurationField, NumberField } from './number-field.tsx'
import { outcomeLabels } from './rule-words.ts'

interface FieldsProps {
  readonly condition: DraftCondition
  readonly path: string
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly onFields: (fields: Readonly<Record<string, unknown>>) => void
}

const ideaStatuses = ['Open', 'Planned', 'Started', 'Completed', 'Declined', 'Duplicate'] as const

/** The settings of one condition; most have none. */
export function ConditionFields(props: FieldsProps) {
  const { condition, path, errors, disabled, onFields } = props
  const { type, fields } = condition
  const number = (name: string, label: string, hint?: string) => (
    <NumberField
      key={`${type} ${name}`}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={fields[name]}
      disabled={disabled}
      error={errors.of(`${path}.${name}`)}
      onNumber={(value) => onFields({ [name]: value })}
    />
  )
  const window = (label = 'Within') => (
    <DurationField
      key={`${type} window`}
      label={label}
      value={fields['window_seconds']}
      disabled={disabled}
      error={errors.of(`${path}.window_seconds`)}
      onNumber={(value) => onFields({ window_seconds: value })}
    />
  )
  const choice = (
    name: string,
    label: string,
    choices: readonly { readonly value: string; readonly label: string }[],
  ) => (
    <SelectField
      label={label}
      value={String(fields[name] ?? choices[0]?.value)}
      choices={choices}
      disabled={disabled}
      error={errors.of(`${path}.${name}`)}
      onValue={(value) => onFields({ [name]: value })}
    />
  )
  const choices = (
    name: string,
    label: string,
    all: readonly { readonly value: string | number; readonly label: string }[],
    hint?: string,
  ) => (
    <ChoicesField
      label={label}
      choices={all}
      values={Array.isArray(fields[name]) ? (fields[name] as string[]) : []}
      disabled={disabled}
      {...(hint === undefined ? {} : { hint })}
      error={errors.of(`${path}.${name}`)}
      // The server takes a list that is left out as all of them, and refuses an empty one.
      onValues={(values) => onFields({ [name]: values.length === 0 ? undefined : values })}
    />
  )
  const row = (...parts: readonly ComponentChildren[]) => <div class="alert-fields">{parts}</div>

  if (type === 'event_count' || type === 'user_count') {
    const unit = type === 'event_count' ? 'events' : 'users'
    const isCompared = fields['compared_to'] === 'previous_window'
    return row(
      choice('compared_to', 'Compare', [
        { value: 'absolute', label: `the number of ${unit}` },
        { value: 'previous_window', label: 'with the window before' },
      ]),
      number('threshold', isCompared ? 'More by, percent' : `More than, ${unit}`),
      window(),
    )
  }
  if (type === 'crash_free_rate') {
    return row(
      choice('of', 'Rate of', [
        { value: 'sessions', label: 'sessions' },
        { value: 'users', label: 'users' },
      ]),
      number('below_percent', 'Below, percent'),
      window('Over the last'),
      number('sessions_min', 'With at least, sessions'),
    )
  }
  if (type === 'outcomes') {
    return row(
      choices(
        'outcomes',
        'Items that are',
        Object.entries(outcomeLabels).map(([value, label]) => ({ value, label })),
      ),
      number('percent', 'More than, percent of all'),
      window('Over the last'),
      number('items_min', 'With at least, items'),
    )
  }
  if (type === 'bounce_rate') {
    return row(
      choice('of', 'Rate of', [
        { value: 'bounces', label: 'bounces' },
        { value: 'complaints', label: 'complaints' },
      ]),
      number('above_percent', 'Above, percent'),
      window('Over the last'),
      number('emails_min', 'With at least, emails'),
    )
  }
  if (type === 'quota') {
    return row(
      choices(
        'percents',
        'When this much is used',
        [50, 80, 100].map((value) => ({ value, label: `${value} %` })),
      ),
    )
  }
  if (type === 'monitor_failed') {
    return row(
      choices(
        'kinds',
        'Runs that',
        [
          { value: 'missed', label: 'are missed' },
          { value: 'error', label: 'fail' },
          { value: 'overrunning', label: 'overrun' },
        ],
        'None selected: all of them.',
      ),
    )
  }
  if (type === 'idea_status') {
    return row(
      choices(
        'to',
        'To the status',
        ideaStatuses.map((value) => ({ value, label: value })),
        'None selected: every status.',
      ),
    )
  }
  return null
}
