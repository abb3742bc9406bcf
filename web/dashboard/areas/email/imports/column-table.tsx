import { Badge } from '../../../design/content/badge.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { choicesOf } from '../lists/filter-select.tsx'
import { automaticMeaning, type Meaning, meanings } from './column-meaning.ts'
import type { FileHead } from './read-head.ts'

const charactersShown = 60

/** Each column with its first values and what it means. */
export function ColumnTable({
  head,
  chosen,
  refused,
  onChoose,
}: {
  readonly head: FileHead
  readonly chosen: Readonly<Record<string, Meaning>>
  /** Columns that the API could not place, and why. */
  readonly refused: ReadonlyMap<string, string>
  readonly onChoose: (column: string, meaning: Meaning) => void
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide tables.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, not rows.
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Columns of the file">
      <table class="table import-columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">First values</th>
            <th scope="col">Means</th>
          </tr>
        </thead>
        <tbody>
          {head.columns.map((column, index) => (
            <tr key={`${index} ${column}`}>
              <td>
                {column === '' ? <span class="soft">column {index + 1}</span> : column}{' '}
                {refused.has(column) && <Badge tone="danger">Decide</Badge>}
              </td>
              <td class="soft">
                {head.rows.map((row, at) => (
                  <div class="import-value" key={at}>
                    {(row[index] ?? '').slice(0, charactersShown)}
                  </div>
                ))}
              </td>
              <td>
                <SelectField
                  label={`Meaning of ${column === '' ? `column ${index + 1}` : column}`}
                  hideLabel
                  value={Object.hasOwn(chosen, column) ? (chosen[column] ?? '') : ''}
                  choices={[
                    { value: '', label: `Automatic: ${automaticMeaning(column, head.columns)}` },
                    ...choicesOf(meanings),
                  ]}
                  error={refused.get(column)}
                  onValue={(value) => onChoose(column, value as Meaning)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
