/** Reads which migrations a database has run. */
import { ClickHouseError } from '@clickhouse/client'
import type { ClickHouseClient } from '../clickhouse.ts'
import type { Pool } from '../postgres.ts'

export interface AppliedMigration {
  readonly name: string
  readonly sha256: string
  /**
   * Whether it breaks processes that do not have it. Undefined if a version applied it that did not
   * record this.
   */
  readonly contract: boolean | undefined
}

/** A row of any version of the table: the column `contract` may be missing. */
interface Row {
  readonly name: string
  readonly sha256: string
  readonly contract?: boolean | null
}

const undefinedTable = '42P01'
/** UNKNOWN_TABLE, UNKNOWN_DATABASE. */
const unknownInClickHouse = new Set(['60', '81'])

/** Undefined if there is no table of migrations. */
export async function appliedInPostgres(pool: Pool): Promise<AppliedMigration[] | undefined> {
  try {
    return merged((await pool.query<Row>('select * from migrations order by at, name')).rows)
  } catch (error) {
    if ((error as { code?: unknown }).code === undefinedTable) return undefined
    throw error
  }
}

/** Undefined if there is no table of migrations, or no database. */
export async function appliedInClickHouse(
  clickhouse: ClickHouseClient,
  msMax?: number,
): Promise<AppliedMigration[] | undefined> {
  const limit = msMax === undefined ? {} : { abort_signal: AbortSignal.timeout(msMax) }
  try {
    const query = 'select * from migrations order by at, name'
    const result = await clickhouse.query({ query, format: 'JSONEachRow', ...limit })
    return merged(await result.json<Row>())
  } catch (error) {
    if (error instanceof ClickHouseError && unknownInClickHouse.has(error.code)) return undefined
    throw error
  }
}

/** ClickHouse may have several rows of one migration. A row that says `contract` decides. */
function merged(rows: readonly Row[]): AppliedMigration[] {
  const byName = new Map<string, AppliedMigration>()
  for (const { name, sha256, contract } of rows) {
    const before = byName.get(name)?.contract
    const known = before === true ? true : (contract ?? before)
    byName.set(name, { name, sha256, contract: known })
  }
  return [...byName.values()]
}
