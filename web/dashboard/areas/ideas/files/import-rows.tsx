import { DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber } from '../../../design/content/format.ts'

export interface ImportRow {
  readonly row: number
  readonly field: string
  readonly rule: string
}

interface ImportRowsProps {
  readonly title: string
  readonly rows: readonly ImportRow[]
}

const shownMax = 100

/** Rows of a file with the field and the rule; long lists are cut, because the rules repeat. */
export function ImportRows({ title, rows }: ImportRowsProps) {
  if (rows.length === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h3>
        {title} ({formatNumber(rows.length)})
      </h3>
      <DataTable
        label={title}
        items={rows.slice(0, shownMax).map((row, index) => ({ ...row, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { head: 'Row', numeric: true, cell: ({ row }) => formatNumber(row) },
          { head: 'Field', cell: ({ field }) => <code>{field}</code> },
          { head: 'Rule', cell: ({ rule }) => rule },
        ]}
      />
      {rows.length > shownMax && (
        <p class="soft small">
          {formatNumber(rows.length - shownMax)} more rows are not shown here.
        </p>
      )}
    </section>
  )
}
