import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../../../../design/forms/field.tsx'

interface NumberProps {
  readonly label: string
  readonly value: unknown
  readonly onNumber: (value: number | undefined) => void
  readonly hint?: string
  readonly error?: string | undefined
  readonly disabled?: boolean
}

/** Keeps what is typed; what is no number is left out, and the server says that it is required. */
export function NumberField({ label, value, onNumber, hint, error, disabled }: NumberProps) {
  const [text, setText] = useState(typeof value === 'number' ? String(value) : '')
  return (
    <TextField
      label={label}
      inputMode="decimal"
      value={text}
      disabled={disabled ?? false}
      {...(hint === undefined ? {} : { hint })}
      error={error}
      onText={(typed) => {
        setText(typed)
        onNumber(numberIn(typed))
      }}
    />
  )
}

function numberIn(text: string): number | undefined {
  const plain = text.replace(/[\s,_]/g, '')
  return plain === '' || Number.isNaN(Number(plain)) ? undefined : Number(plain)
}

const units = [
  { seconds: 60, label: 'minutes' },
  { seconds: 3_600, label: 'hours' },
  { seconds: 86_400, label: 'days' },
] as const

/** A length of time in minutes, hours or days; the value is in seconds. */
export function DurationField({ label, value, onNumber, hint, error, disabled }: NumberProps) {
  const seconds = typeof value === 'number' ? value : 0
  const [unit, setUnit] = useState<number>(
    units.findLast((one) => seconds >= one.seconds && seconds % one.seconds === 0)?.seconds ?? 60,
  )
  const [text, setText] = useState(String(seconds / unit))
  const change = (typed: string, size: number) => {
    setText(typed)
    setUnit(size)
    const count = numberIn(typed)
    onNumber(count === undefined ? undefined : Math.round(count * size))
  }
  return (
    <div class="alert-duration">
      <TextField
        label={label}
        inputMode="decimal"
        value={text}
        disabled={disabled ?? false}
        {...(hint === undefined ? {} : { hint })}
        error={error}
        onText={(typed) => change(typed, unit)}
      />
      <SelectField
        label={`Unit of ${label.toLowerCase()}`}
        hideLabel
        value={String(unit)}
        disabled={disabled ?? false}
        choices={units.map((one) => ({ value: String(one.seconds), label: one.label }))}
        onValue={(chosen) => change(text, Number(chosen))}
      />
    </div>
  )
}
