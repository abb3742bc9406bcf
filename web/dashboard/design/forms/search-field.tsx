import { useRef } from 'preact/hooks'
import { useShortcuts } from '../../keyboard/shortcuts.ts'
import { TextField } from './field.tsx'
import { useTypedText } from './use-typed-text.ts'

interface SearchFieldProps {
  readonly label: string
  /** The label, unless it is given. */
  readonly placeholder?: string
  readonly value: string
  /** Called when the person pauses, without spaces around the text. */
  readonly onText: (text: string) => void
  readonly error?: string | undefined
  readonly maxLength?: number
  /** Two search fields on one page cannot both have the key `/`. */
  readonly hasKey?: boolean
}

/** The search of a list. `/` moves the focus here; Escape leaves. */
export function SearchField(props: SearchFieldProps) {
  const { label, placeholder = label, value, onText, error, maxLength = 200, hasKey = true } = props
  const ref = useRef<HTMLDivElement>(null)
  const [text, setText] = useTypedText(value, (typed) => onText(typed.trim()))
  const focus = () => ref.current?.querySelector('input')?.focus()
  useShortcuts(hasKey ? [{ keys: '/', label, group: 'Lists', run: focus }] : [])
  return (
    <div class="search-field" ref={ref}>
      <TextField
        label={label}
        hideLabel
        type="search"
        placeholder={placeholder}
        maxLength={maxLength}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onText={setText}
        {...(error === undefined ? {} : { error })}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Escape') (event.target as HTMLElement).blur()
        }}
      />
    </div>
  )
}
