import type { ClickHouseClient } from '#platform/clickhouse.ts'

const queryMs = 2_000

/** The rows of a query of the doctor, with a limit on its time. */
export async function clickhouseRows<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  const abort_signal = AbortSignal.timeout(queryMs)
  const result = await client.query({ query, format: 'JSONEachRow', abort_signal })
  return result.json<Row>()
}
