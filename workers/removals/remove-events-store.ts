/** Removes the rows of projects from ClickHouse. */
import type { Pool } from '#platform/postgres.ts'
import type { ClickHouseTable } from '#schemas/stored-data/clickhouse-tables.ts'
import { clickHouseScope } from '#schemas/stored-data/scope.ts'
import { countRows, type MutationContext, mutate } from './clickhouse-mutation-store.ts'
import { setCountOnce } from './deletion-row-store.ts'
import type { Removal } from './remove-rows-store.ts'

/** @param pass the receipt counts rows that a second pass finds on their own line. */
export async function removeEvents(
  ctx: MutationContext & { readonly pg: Pool },
  table: ClickHouseTable['name'],
  { deletionId, scope, pass }: Removal & { readonly pass: 1 | 2 },
): Promise<void> {
  const condition = clickHouseScope(scope)
  const rows = await countRows(ctx.clickhouse, table, condition)
  if (rows === 0) return
  const counted = { table: clickHouseCountName(table, pass), rows }
  await setCountOnce(ctx.pg, deletionId, counted)
  await mutate(ctx, table, `delete where ${condition}`)
}

export function clickHouseCountName(table: string, pass: 1 | 2): string {
  return pass === 1 ? `clickhouse.${table}` : `clickhouse.${table} (late)`
}
