import { shortText } from '../../../../design/text/visible-text.ts'
import { columnChoices, columnTitle, writeColumns } from './event-columns.ts'

interface ColumnChoiceProps {
  readonly columns: readonly string[]
  readonly tags: readonly string[]
  /** As the address holds them; undefined for those that are shown at first. */
  readonly onColumns: (text: string | undefined) => void
}

const tagsMax = 20

/** Fields and tags to show beside each event. */
export function ColumnChoice({ columns, tags, onColumns }: ColumnChoiceProps) {
  const toggle = (column: string) => {
    const next = columns.includes(column)
      ? columns.filter((one) => one !== column)
      : [...columns, column]
    onColumns(writeColumns(next))
  }
  return (
    <details class="issue-columns-choice">
      <summary class="button button-plain button-m">Columns</summary>
      <ul>
        {columnChoices(tags.slice(0, tagsMax)).map((column) => (
          <li key={column}>
            <label>
              <input
                type="checkbox"
                class="check"
                checked={columns.includes(column)}
                onChange={() => toggle(column)}
              />
              {shortText(columnTitle(column), 40)}
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
