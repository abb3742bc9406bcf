import { useRef } from 'preact/hooks'
import { TextField } from '../../../design/forms/field.tsx'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { useTypedText } from './use-typed-text.ts'
import './shared.css'

interface SearchBoxProps {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  /** Two search boxes on one page cannot both have the key. */
  readonly hasKey?: boolean
}

/** `/` moves the focus here; Escape leaves. */
export function SearchBox({ label, value, onText, hasKey = true }: SearchBoxProps) {
  const ref = useRef<HTMLDivElement>(null)
  const [text, setText] = useTypedText(value, onText)
  useShortcuts(
    hasKey
      ? [
          {
            keys: '/',
            label,
            group: 'Lists',
            run: () => ref.current?.querySelector('input')?.focus(),
          },
        ]
      : [],
  )
  return (
    <div class="search-field" ref={ref}>
      <TextField
        label={label}
        hideLabel
        type="search"
        placeholder={label}
        maxLength={200}
        value={text}
        onText={setText}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Escape') (event.target as HTMLElement).blur()
        }}
      />
    </div>
  )
}
