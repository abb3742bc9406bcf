import { DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber, formatShare } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { type OutcomeRow, type SplitBy, splitNames, splits } from './outcome-sums.ts'
import { useValueNames } from './value-names.ts'

/** Accepted and dropped by component, SDK and DSN key; a row filters the whole page. */
export function Breakdown({ items }: { readonly items: readonly OutcomeRow[] }) {
  const nameOf = useValueNames()
  // After a report by day there are no keys.
  if (!items.some((row) => 'key' in row)) return null
  return (
    <div class="columns-even outcome-tables">
      {splits.map((by) => (
        <Table
          key={by}
          by={by}
          rows={group(items, (row) => row[by] ?? 'none')}
          textOf={(value) => nameOf(by, value)}
        />
      ))}
    </div>
  )
}

interface Row {
  readonly value: string
  readonly accepted: number
  readonly dropped: number
  readonly neverSent: number
}

function Table({
  by,
  rows,
  textOf,
}: {
  readonly by: SplitBy
  readonly rows: readonly Row[]
  readonly textOf: (value: string) => string
}) {
  const { set } = useSearchParams()
  const title = `By ${splitNames[by]}`
  return (
    <Panel title={title} flush>
      <DataTable
        label={title}
        items={rows}
        keyOf={({ value }) => value}
        columns={[
          {
            head: upperFirst(splitNames[by]),
            cell: ({ value }) => (
              <button type="button" class="outcome-link" onClick={() => set({ [by]: value })}>
                {textOf(value)}
              </button>
            ),
          },
          { head: 'Accepted', numeric: true, cell: (row) => formatNumber(row.accepted) },
          { head: 'Dropped', numeric: true, cell: (row) => formatNumber(row.dropped) },
          {
            head: 'Share',
            numeric: true,
            cell: ({ accepted, dropped }) =>
              accepted + dropped === 0 ? '–' : formatShare(dropped / (accepted + dropped)),
          },
          {
            head: 'Never sent',
            numeric: true,
            secondary: true,
            cell: (row) => formatNumber(row.neverSent),
          },
        ]}
      />
    </Panel>
  )
}

const rowsMax = 20

function group(items: readonly OutcomeRow[], valueIn: (row: OutcomeRow) => string): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const item of items) {
    const value = valueIn(item)
    const before = rows.get(value) ?? { value, accepted: 0, dropped: 0, neverSent: 0 }
    const { outcome = '', quantity } = item
    const isDropped = !['accepted', 'duplicate', 'client_discard'].includes(outcome)
    rows.set(value, {
      value,
      accepted: before.accepted + (outcome === 'accepted' ? quantity : 0),
      dropped: before.dropped + (isDropped ? quantity : 0),
      neverSent: before.neverSent + (outcome === 'client_discard' ? quantity : 0),
    })
  }
  return [...rows.values()]
    .sort((a, b) => b.dropped - a.dropped || b.accepted - a.accepted)
    .slice(0, rowsMax)
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
