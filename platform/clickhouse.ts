import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

export type { ClickHouseClient } from '@clickhouse/client'

export interface ClickHouseOptions {
  readonly connectionsMax?: number
  /** Longest silence of the server during a request. */
  readonly requestTimeoutMs?: number
}

/** The database is the path of the URL: `http://user:password@host:8123/sluice`. */
export function createClickHouse(
  url: string,
  applicationName: string,
  { connectionsMax = 10, requestTimeoutMs = 30_000 }: ClickHouseOptions = {},
): ClickHouseClient {
  return createClient({
    url,
    application: applicationName,
    max_open_connections: connectionsMax,
    request_timeout: requestTimeoutMs,
    // Shorter than the server's keep-alive timeout, or a connection might close during an insert.
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    compression: { request: false, response: false },
    // The client would print errors as text. They are thrown as well, and the callers log them.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { wait_end_of_query: 1, date_time_output_format: 'iso' },
  })
}
