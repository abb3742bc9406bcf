import type { ComponentChildren } from 'preact'
import '../css/data-table.css'

export interface Column<T> {
  readonly head: string
  readonly cell: (item: T) => ComponentChildren
  /** Numbers are aligned at the right. */
  readonly numeric?: boolean
  /** Left out on narrow screens. */
  readonly secondary?: boolean
}

interface DataTableProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly columns: readonly Column<T>[]
}

/** A table of at most some hundred rows; longer lists use `WindowedList`. */
export function DataTable<T>({ label, items, keyOf, columns }: DataTableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide tables.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, not rows.
    <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map((column) => (
                <td key={column.head} class={classOf(column)}>
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classOf<T>({ numeric, secondary }: Column<T>): string {
  return [numeric === true ? 'numeric' : '', secondary === true ? 'secondary' : ''].join(' ').trim()
}

/** Names and values in two columns. */
export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly name: string; readonly value: ComponentChildren }[]
}) {
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
