import { DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber, formatShare } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import type { OutcomeRow } from './outcome-sums.ts'

/** Accepted and dropped by component, SDK and DSN key; a row filters the whole page. */
export function Breakdown({ items }: { readonly items: readonly OutcomeRow[] }) {
  const project_id = useProjectId()
  const keys = useRead('GET /api/v1/projects/{project_id}/quota', { params: { project_id } })
  // After a report by day there are no keys.
  if (!items.some((row) => 'key' in row)) return null
  const labelOf = (key: string) =>
    keys.data?.by_key.find((one) => one.key === key)?.label ?? undefined
  return (
    <div class="columns-even">
      <Table
        title="By component"
        name="component"
        rows={group(items, ({ component }) => component ?? 'none')}
        textOf={(value) => (value === 'none' ? noneWords.component : value)}
      />
      <Table
        title="By SDK"
        name="sdk"
        rows={group(items, ({ sdk }) => sdk ?? 'none')}
        textOf={(value) => (value === 'none' ? noneWords.sdk : value)}
      />
      <Table
        title="By DSN key"
        name="key"
        rows={group(items, ({ key }) => key ?? 'none')}
        textOf={(value) => {
          if (value === 'none') return noneWords.key
          const label = labelOf(value)
          return label === undefined ? `${value.slice(0, 12)}…` : `${label} (${value.slice(0, 8)}…)`
        }}
      />
    </div>
  )
}

/** What a missing value means. */
export const noneWords = { component: 'none', sdk: 'unknown', key: 'unknown key' } as const
const heads = { component: 'Component', sdk: 'SDK', key: 'DSN key' } as const

interface Row {
  readonly value: string
  readonly accepted: number
  readonly dropped: number
  readonly neverSent: number
}

function Table({
  title,
  name,
  rows,
  textOf,
}: {
  readonly title: string
  readonly name: 'component' | 'sdk' | 'key'
  readonly rows: readonly Row[]
  readonly textOf: (value: string) => string
}) {
  const { set } = useSearchParams()
  return (
    <Panel title={title} flush>
      <DataTable
        label={title}
        items={rows}
        keyOf={({ value }) => value}
        columns={[
          {
            head: heads[name],
            cell: ({ value }) => (
              <button type="button" class="outcome-link" onClick={() => set({ [name]: value })}>
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
