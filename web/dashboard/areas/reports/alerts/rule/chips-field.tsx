import { useId, useState } from 'preact/hooks'
import { IconButton } from '../../../../design/button.tsx'
import { TextField } from '../../../../design/forms/field.tsx'

interface ChipsProps {
  readonly label: string
  readonly values: readonly string[]
  readonly onValues: (values: readonly string[]) => void
  readonly suggestions?: readonly string[]
  readonly hint?: string
  readonly placeholder?: string
  readonly error?: string | undefined
  readonly disabled?: boolean
}

/** A list of texts: Enter or a comma adds what is typed. */
export function ChipsField(props: ChipsProps) {
  const { label, values, onValues, suggestions = [], hint, placeholder, error, disabled } = props
  const [text, setText] = useState('')
  const list = useId()
  const add = (typed: string) => {
    const added = typed
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '')
    if (added.length > 0) onValues([...new Set([...values, ...added])])
    setText('')
  }
  const free = suggestions.filter((value) => !values.includes(value))
  return (
    <div class="alert-chips">
      <TextField
        label={label}
        value={text}
        disabled={disabled ?? false}
        autocomplete="off"
        {...({ list } as object)}
        {...(hint === undefined ? {} : { hint })}
        {...(placeholder === undefined || values.length > 0 ? {} : { placeholder })}
        error={error}
        onText={(typed) =>
          typed.includes(',') || free.includes(typed) ? add(typed) : setText(typed)
        }
        onKeyDown={(event: KeyboardEvent) => {
          // Enter never sends the form from here: a value may have been added by itself just now.
          if (event.key !== 'Enter') return
          event.preventDefault()
          add(text)
        }}
        onBlur={() => add(text)}
      />
      <datalist id={list}>
        {free.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      {values.length > 0 && (
        <ul class="alert-chip-list" aria-label={`Values of ${label.toLowerCase()}`}>
          {values.map((value) => (
            <li key={value} class="alert-chip">
              <span class="truncate" title={value}>
                {value}
              </span>
              <IconButton
                label={`Remove ${value}`}
                icon="close"
                size="s"
                disabled={disabled ?? false}
                onClick={() => onValues(values.filter((other) => other !== value))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
