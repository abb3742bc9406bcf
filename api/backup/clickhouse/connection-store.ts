/** Small queries of ClickHouse that backup and restore share. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'

/**
 * Tables of the product whose rows are stored. `migrations` and `installation` are made by a
 * restore; `session_days` is made of `sessions` by the workers, also after a restore.
 */
export async function listRowTables(clickhouse: ClickHouseClient): Promise<string[]> {
  const rows = await select<{ name: string }>(
    clickhouse,
    `select name from system.tables
     where database = currentDatabase() and engine like '%MergeTree'
       and name not in ('migrations', 'installation', 'session_days') and not startsWith(name, '${clonePrefix}')
     order by name`,
  )
  return rows.map(({ name }) => name)
}

/** Clones of backups begin with this. */
export const clonePrefix = 'backup_'

export async function select<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const result = await clickhouse.query({
    query,
    query_params: { ...parameters },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  return result.json<Row>()
}

export async function command(clickhouse: ClickHouseClient, query: string): Promise<void> {
  await clickhouse.command({ query })
}

export function quotedName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}
