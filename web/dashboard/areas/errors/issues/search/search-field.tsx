import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../../../../design/button.tsx'
import { Icon } from '../../../../design/icon.tsx'
import { useShortcuts } from '../../../../keyboard/shortcuts.ts'
import { completeField, completeValue, typedAt } from '../query/completion.ts'
import type { SearchError } from '../query/search-error.ts'
import type { Completion } from './field-completions.ts'
import { useCompletions } from './use-completions.ts'
import './search-field.css'

interface SearchFieldProps {
  readonly projectId: string
  readonly query: string
  readonly searchError: SearchError | undefined
  readonly onQuery: (query: string) => void
}

/** The search: suggestions while typing, Enter searches, errors are underlined where they are. */
export function SearchField({ projectId, query, searchError, onQuery }: SearchFieldProps) {
  const [text, setText] = useState(query)
  const [caret, setCaret] = useState(query.length)
  const [isOpen, setOpen] = useState(false)
  const [index, setIndex] = useState(-1)
  const [scroll, setScroll] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    setText(query)
    setOpen(false)
  }, [query])
  const typed = typedAt(text, caret)
  const completions = useCompletions(projectId, typed, isOpen)
  const shown = isOpen ? completions : []

  useShortcuts([
    {
      keys: '/',
      label: 'Search',
      group: 'Issues',
      run: () => {
        input.current?.focus()
        input.current?.setSelectionRange(text.length, text.length)
      },
    },
  ])

  const write = (next: { readonly query: string; readonly caret: number }) => {
    setText(next.query)
    setCaret(next.caret)
    setIndex(-1)
    const field = input.current
    if (field === null) return
    // The field must have the text before its caret is set.
    field.value = next.query
    field.focus()
    field.setSelectionRange(next.caret, next.caret)
  }
  const choose = (completion: Completion | undefined) => {
    if (completion === undefined) return
    if (typed.kind === 'field') {
      const isTagLikeField = completion.isTagLikeField ?? false
      write(completeField(text, typed, { name: completion.text, isTagLikeField }))
    } else write(completeValue(text, typed, completion))
  }
  const search = (next: string) => {
    setOpen(false)
    setText(next)
    onQuery(next.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setOpen(true)
      setIndex(Math.min(Math.max(index + step, -1), shown.length - 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (index >= 0) choose(shown[index])
      else search(text)
    } else if (event.key === 'Tab' && shown.length > 0 && isOpen && typed.prefix !== '') {
      event.preventDefault()
      choose(shown[Math.max(index, 0)])
    } else if (event.key === 'Escape') {
      if (isOpen && shown.length > 0) setOpen(false)
      else input.current?.blur()
    }
  }
  const isMarked = searchError !== undefined && text.trim() === query.trim()
  const moveCaret = () => setCaret(input.current?.selectionStart ?? text.length)
  return (
    <search class="issue-search">
      <div class="issue-search-box" data-invalid={isMarked}>
        <Icon name="search" size={14} />
        <div class="issue-search-text">
          {isMarked && (
            <div class="issue-search-marks" aria-hidden="true">
              <span style={{ transform: `translateX(${-scroll}px)` }}>
                {text.slice(0, searchError.start)}
                <mark>{text.slice(searchError.start, searchError.end) || ' '}</mark>
                {text.slice(searchError.end)}
              </span>
            </div>
          )}
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label="Search issues"
            aria-expanded={shown.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={index >= 0 ? `${id}-${index}` : undefined}
            aria-invalid={isMarked}
            aria-describedby={isMarked ? `${id}-error` : undefined}
            placeholder="Search: level:error, user.email:…, out of memory"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setCaret(event.currentTarget.selectionStart ?? 0)
              setIndex(-1)
              setOpen(true)
            }}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
            onKeyUp={moveCaret}
            onClick={() => {
              moveCaret()
              setOpen(true)
            }}
            onScroll={(event) => setScroll(event.currentTarget.scrollLeft)}
          />
        </div>
        {text !== '' && (
          <IconButton size="s" label="Clear the search" icon="close" onClick={() => search('')} />
        )}
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        class="issue-search-list menu"
        hidden={shown.length === 0}
      >
        {shown.map((completion, row) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
          <div
            key={completion.text}
            id={`${id}-${row}`}
            role="option"
            aria-selected={row === index}
            class="menu-item"
            data-highlighted={row === index ? '' : undefined}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(completion)}
          >
            <code class="truncate">
              {completion.text}
              {typed.kind === 'field' && ':'}
            </code>
            {completion.detail !== undefined && (
              <span class="issue-search-detail truncate">{completion.detail}</span>
            )}
          </div>
        ))}
      </div>
      {isMarked && (
        <div class="issue-search-error" id={`${id}-error`} role="alert">
          <p>{searchError.message}</p>
          {searchError.corrections.length > 0 && <span class="soft">Use</span>}
          {searchError.corrections.map(({ label, query: corrected }) => (
            <Button key={label} size="s" onClick={() => search(corrected)}>
              {label}
            </Button>
          ))}
        </div>
      )}
    </search>
  )
}
