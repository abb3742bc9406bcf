import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import './pick-dialog.css'

export interface Pick {
  readonly key: string
  readonly label: string
  /** Soft text at the right. */
  readonly detail?: string
  readonly mark?: ComponentChildren
  readonly run: () => void
}

interface PickDialogProps {
  readonly title: string
  readonly placeholder: string
  /** What fits the typed text; the first one is chosen by Enter. */
  readonly picksOf: (text: string) => readonly Pick[]
  readonly onText?: (text: string) => void
  readonly onClose: () => void
}

/** Choose one thing by typing a part of it: who is assigned, until when an issue is ignored. */
export function PickDialog({ title, placeholder, picksOf, onText, onClose }: PickDialogProps) {
  const [text, setText] = useState('')
  const [index, setIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const picks = picksOf(text)
  const current = Math.min(index, picks.length - 1)
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const choose = (pick: Pick | undefined) => {
    if (pick === undefined) return
    onClose()
    pick.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIndex(Math.min(Math.max(current + step, 0), picks.length - 1))
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      choose(picks[current])
    }
  }
  return (
    <Dialog title={title} size="s" onClose={onClose}>
      <div class="pick">
        <input
          // An effect could run before the dialog opens, which focuses its first button.
          autofocus
          class="input"
          role="combobox"
          aria-label={title}
          aria-expanded={true}
          aria-controls="pick-list"
          aria-activedescendant={picks[current] === undefined ? undefined : `pick-${current}`}
          placeholder={placeholder}
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setIndex(0)
            onText?.(event.currentTarget.value)
          }}
          onKeyDown={onKeyDown}
        />
        {picks.length === 0 && <p class="small soft">Nothing fits “{text}”.</p>}
        <div
          ref={list}
          id="pick-list"
          role="listbox"
          aria-label={title}
          hidden={picks.length === 0}
        >
          {picks.map((pick, row) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
            <div
              key={pick.key}
              id={`pick-${row}`}
              role="option"
              aria-selected={row === current}
              class="pick-item"
              onClick={() => choose(pick)}
              onMouseMove={() => setIndex(row)}
            >
              {pick.mark}
              <span class="truncate">{pick.label}</span>
              {pick.detail !== undefined && <span class="pick-detail truncate">{pick.detail}</span>}
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
