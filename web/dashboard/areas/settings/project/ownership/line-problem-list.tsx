import type { LineProblem } from './line-problems.ts'
import './ownership.css'

/** What is wrong with lines of an editor; a click selects the line. */
export function LineProblems({
  kind,
  items,
  onSelect,
}: {
  readonly kind: 'error' | 'warning'
  readonly items: readonly LineProblem[]
  readonly onSelect: (line: number) => void
}) {
  if (items.length === 0) return null
  return (
    <ul
      class="rules-problems"
      aria-label={kind === 'error' ? 'Lines that are not valid' : 'Lines that do not work'}
      role={kind === 'error' ? 'alert' : 'list'}
    >
      {items.map(({ line, message }) => (
        <li key={`${line} ${message}`}>
          <button type="button" onClick={() => onSelect(line)}>
            Line {line}
          </button>
          <span class={`is-${kind}`}>{message}</span>
        </li>
      ))}
    </ul>
  )
}
