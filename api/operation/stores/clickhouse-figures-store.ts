/** How much ClickHouse stores, and whether it keeps up with merging. Of one server of a cluster. */
import type { Operation } from '#schemas/rest/operation/operation.ts'
import type { ClickHouse } from '../../database.ts'

export type ClickHouseFigures = Omit<
  Extract<Operation['clickhouse'], { state: 'answers' }>,
  'state'
>

/** Tables of the database; Sluice has fewer. */
const tablesReadMax = 1_000
const tablesListedMax = 20

interface Row {
  readonly version: string
  readonly merges: number
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly parts: number
}

export async function readClickHouseFigures(clickhouse: ClickHouse): Promise<ClickHouseFigures> {
  const found = await clickhouse.select<Row>(
    `select version() as version,
       (select count() from system.merges where database = currentDatabase()) as merges,
       table as name, sum(rows) as rows, sum(bytes_on_disk) as bytes, count() as parts
     from system.parts where active and database = currentDatabase()
     group by table order by bytes desc, name limit {limit:UInt32}`,
    { limit: tablesReadMax },
  )
  return figuresOf(found)
}

function figuresOf(rows: readonly Row[]): ClickHouseFigures {
  const tables = rows.map(({ name, rows, bytes, parts }) => ({ name, rows, bytes, parts }))
  const sum = (key: 'rows' | 'bytes' | 'parts') =>
    tables.reduce((total, table) => total + table[key], 0)
  return {
    version: rows[0]?.version ?? '',
    merges: rows[0]?.merges ?? 0,
    rows: sum('rows'),
    bytes: sum('bytes'),
    parts: sum('parts'),
    tables: tables.slice(0, tablesListedMax),
  }
}
