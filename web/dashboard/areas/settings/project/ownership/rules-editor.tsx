import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type LineProblem, rangeOfLine } from './line-problems.ts'
import './ownership.css'

interface EditorProps {
  readonly label: string
  readonly value: string
  readonly readOnly: boolean
  readonly placeholder: string
  readonly rows?: number
  /** Lines that are not stored as they are. */
  readonly errors: readonly LineProblem[]
  /** Lines that are stored but do not work. */
  readonly warnings: readonly LineProblem[]
  /** Set to select a line; `at` tells two requests for the same line apart. */
  readonly selected: { readonly line: number; readonly at: number } | undefined
  readonly onText: (text: string) => void
}

/** A text with line numbers, of which those with problems are marked. */
export function RulesEditor(props: EditorProps) {
  const { label, value, readOnly, placeholder, errors, warnings, selected, onText } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const marks = useRef<HTMLDivElement>(null)
  const lines = value.split('\n').length
  const alignNumbers = () => {
    if (area.current === null) return
    if (numbers.current !== null) numbers.current.scrollTop = area.current.scrollTop
    if (marks.current !== null) {
      marks.current.scrollTop = area.current.scrollTop
      marks.current.scrollLeft = area.current.scrollLeft
    }
  }
  useLayoutEffect(alignNumbers, [value, errors])
  useLayoutEffect(() => {
    const element = area.current
    if (selected === undefined || element === null) return
    element.focus()
    element.setSelectionRange(...rangeOfLine(element.value, selected.line))
    const lineHeight = element.scrollHeight / Math.max(element.value.split('\n').length, 1)
    const top = (selected.line - 1) * lineHeight
    if (top < element.scrollTop || top > element.scrollTop + element.clientHeight - lineHeight) {
      element.scrollTop = Math.max(top - element.clientHeight / 2, 0)
    }
  }, [selected])
  const kinds = new Map<number, string>()
  for (const { line } of warnings) kinds.set(line, 'warning')
  for (const { line } of errors) kinds.set(line, 'error')
  return (
    <div class="rules-editor">
      <label class="screen-reader" for={id}>
        {label}
      </label>
      <div class="rules-numbers" ref={numbers} aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => (
          <div key={index} class={`rules-number rules-${kinds.get(index + 1) ?? 'fine'}`}>
            {index + 1}
          </div>
        ))}
      </div>
      {errors.length > 0 && (
        <div class="rules-marks" ref={marks} aria-hidden="true">
          <Marked value={value} errors={errors} />
        </div>
      )}
      <textarea
        ref={area}
        id={id}
        class="rules-text"
        wrap="off"
        rows={props.rows ?? 16}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-invalid={errors.length > 0}
        readOnly={readOnly}
        value={value}
        placeholder={placeholder}
        onScroll={alignNumbers}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  )
}

/** The text behind what is typed, without color: only the underlines of its errors are seen. */
function Marked({
  value,
  errors,
}: {
  readonly value: string
  readonly errors: readonly LineProblem[]
}) {
  const starts = new Map(errors.map(({ line, at = 1 }) => [line, at - 1]))
  return value.split('\n').map((content, index) => {
    const start = starts.get(index + 1)
    if (start === undefined) return `${content}\n`
    // A problem at the end of the line is told at its last character.
    const from = Math.max(0, Math.min(start, content.trimEnd().length - 1))
    return (
      <span key={index}>
        {content.slice(0, from)}
        <span class="rules-wrong">{content.slice(from) || ' '}</span>
        {'\n'}
      </span>
    )
  })
}
