import { TextField } from '../../../design/forms/field.tsx'
import './color-field.css'

interface ColorFieldProps {
  readonly label: string
  readonly hint?: string
  /** `#1a2b3c`, or what was typed so far. */
  readonly value: string
  readonly onValue: (value: string) => void
  readonly error?: string | undefined
  readonly placeholder?: string
}

/** The code to type or paste, and the browser's color picker beside it. */
export function ColorField({ label, hint, value, onValue, error, placeholder }: ColorFieldProps) {
  const isColor = /^#[0-9a-f]{6}$/i.test(value)
  return (
    <div class="color-field">
      <TextField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        value={value}
        onText={onValue}
        error={error}
        maxLength={7}
        spellcheck={false}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
      <input
        type="color"
        aria-label={`Choose: ${label}`}
        value={isColor ? value.toLowerCase() : (placeholder ?? '#000000')}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}
