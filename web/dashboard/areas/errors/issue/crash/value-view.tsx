/** JSON of strangers: nested values are folded, long ones are cut until they are asked for. */
import { useState } from 'preact/hooks'
import { Icon } from '../../../../design/icon.tsx'
import { shortText, visibleText } from '../../../../design/text/visible-text.ts'
import type { Pairs } from '../payload/read-event.ts'

const textCharactersShown = 300
const entriesAtOnce = 50

export function ValueTable({ label, values }: { readonly label: string; readonly values: Pairs }) {
  const [shown, setShown] = useState(entriesAtOnce)
  return (
    <div class="issue-values">
      <dl aria-label={label}>
        {values.slice(0, shown).map(([name, value], index) => (
          <div key={`${index} ${name}`}>
            <dt>{shortText(name, textCharactersShown)}</dt>
            <dd>
              <Value value={value} isOpen={false} />
            </dd>
          </div>
        ))}
      </dl>
      {values.length > shown && (
        <button type="button" class="issue-more" onClick={() => setShown(shown + 500)}>
          Show {values.length - shown} more
        </button>
      )}
    </div>
  )
}

export function Value({ value, isOpen }: { readonly value: unknown; readonly isOpen: boolean }) {
  if (typeof value === 'string') return <TextValue text={value} />
  if (typeof value === 'object' && value !== null) return <Nested value={value} isOpen={isOpen} />
  return <code class="issue-value-plain">{String(value)}</code>
}

function TextValue({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  if (text === '') return <span class="soft">empty text</span>
  const isLong = text.length > textCharactersShown
  return (
    <span class="issue-value-text">
      {isWhole || !isLong ? visibleText(text) : shortText(text, textCharactersShown)}
      {isLong && (
        <button type="button" class="issue-more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </span>
  )
}

function Nested({ value, isOpen: opened }: { readonly value: object; readonly isOpen: boolean }) {
  const [isOpen, setOpen] = useState(opened)
  const entries = Object.entries(value)
  if (entries.length === 0) return <code>{Array.isArray(value) ? '[]' : '{}'}</code>
  return (
    <div class="issue-nested">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
        <code>{summaryOf(value, entries)}</code>
      </button>
      {isOpen && <ValueTable label="Entries" values={entries} />}
    </div>
  )
}

/** `{ id: 17, name: "Ada", … }` */
function summaryOf(value: object, entries: readonly (readonly [string, unknown])[]): string {
  const isList = Array.isArray(value)
  const shown = entries
    .slice(0, 4)
    .map(([name, entry]) => (isList ? shortOf(entry) : `${shortText(name, 24)}: ${shortOf(entry)}`))
  const rest = entries.length > 4 ? [`… ${entries.length - 4} more`] : []
  const inside = [...shown, ...rest].join(', ')
  return isList ? `[${inside}]` : `{ ${inside} }`
}

function shortOf(value: unknown): string {
  if (typeof value === 'string') return `"${shortText(value, 24)}"`
  if (Array.isArray(value)) return `[${value.length}]`
  return typeof value === 'object' && value !== null ? '{…}' : String(value)
}
