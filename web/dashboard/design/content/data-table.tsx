import type { ComponentChildren } from 'preact'
import '../css/data-table.css'

export interface Column<T> {
  readonly head: string
  readonly cell: (item: T) => ComponentChildren
  /** Numbers are aligned at the right. */
  readonly numeric?: boolean
  /** Left out on narrow screens. */
  readonly secondary?: boolean
  /** Buttons and menus at the end of the row; the heading is for screen readers only. */
  readonly actions?: boolean
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
                {column.actions === true ? (
                  <span class="screen-reader">{column.head}</span>
                ) : (
                  column.head
                )}
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

function classOf<T>({ numeric, secondary, actions }: Column<T>): string {
  const names = { numeric, secondary, 'table-actions': actions }
  return Object.entries(names)
    .flatMap(([name, isSet]) => (isSet === true ? [name] : []))
    .join(' ')
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
