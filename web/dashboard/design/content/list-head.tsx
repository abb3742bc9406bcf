import '../css/list-head.css'

export interface ListColumn {
  readonly label: string
  /** As the cells have it, for their side or the widths at which they are hidden. */
  readonly class?: string
}

export interface ListHeadProps {
  /** Class of the rows, whose grid the names share. */
  readonly row: string
  /** One for each cell of a row, in its order; without a label where none is needed. */
  readonly columns: readonly (ListColumn | string)[]
}

/** Names above the columns. Hidden where rows are stacked, and from screen readers. */
export function ListHead({ row, columns }: ListHeadProps) {
  return (
    <div class={`${row} list-head`} aria-hidden="true">
      {columns.map((column, index) => {
        const cell: ListColumn = typeof column === 'string' ? { label: column } : column
        return (
          <span key={index} class={cell.class}>
            {cell.label}
          </span>
        )
      })}
    </div>
  )
}
