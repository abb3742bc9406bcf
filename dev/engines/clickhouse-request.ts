/**
 * Parses one call of ClickHouse's HTTP interface, as `@clickhouse/client` and curl send it: the
 * query in the URL or the body, settings and parameters in the URL.
 */
export interface ClickHouseCall {
  readonly queryId: string | undefined
  readonly database: string
  /** The part of the query that is in the URL. */
  readonly urlQuery: string
  readonly format: string
  readonly settings: ReadonlyMap<string, string>
  readonly params: ReadonlyMap<string, string>
}

export type ParsedCall =
  | { readonly kind: 'call'; readonly call: ClickHouseCall }
  | { readonly kind: 'malformed'; readonly message: string }

/** Settings of ClickHouse's HTTP layer; the engine would reject them as unknown. */
const httpOnly = new Set([
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'buffer_size',
  'http_response_buffer_size',
  'http_headers_progress_interval_ms',
  'http_send_progress_interval_ms',
  'enable_http_compression',
  'http_zlib_compression_level',
  'http_response_compression_method',
  'http_native_compression_disable_checksumming_on_decompress',
  'compress',
  'decompress',
  'cancel_http_readonly_queries_on_client_close',
  'session_timeout',
  'session_check',
  'user',
  'password',
  'role',
])

/** Names are inserted into SQL without quoting, so only these characters are allowed. */
const name = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

export function parseCall(url: URL): ParsedCall {
  const settings = new Map<string, string>()
  const params = new Map<string, string>()
  for (const [key, value] of url.searchParams) {
    if (['query', 'query_id', 'database', 'default_format'].includes(key)) continue
    if (httpOnly.has(key)) continue
    if (key === 'session_id') return malformed('session_id is not served by the embedded engine')
    if (!name.test(key)) return malformed(`${JSON.stringify(key)} is not a valid setting name`)
    if (key.startsWith('param_')) params.set(key.slice('param_'.length), value)
    else settings.set(key, value)
  }
  return {
    kind: 'call',
    call: {
      queryId: url.searchParams.get('query_id') ?? undefined,
      database: url.searchParams.get('database') || 'default',
      urlQuery: url.searchParams.get('query') ?? '',
      format: url.searchParams.get('default_format') || 'TabSeparated',
      settings,
      params,
    },
  }
}

export interface InsertHead {
  /** The text before `FORMAT`. */
  readonly statement: string
  readonly format: string
}

/** Parses `INSERT … FORMAT X` whose rows are in the body. */
export function insertHead(query: string): InsertHead | undefined {
  const match = /^(\s*insert\s[\s\S]*?)\sformat\s+([A-Za-z][A-Za-z0-9]*)\s*;?\s*$/i.exec(query)
  if (!match?.[1] || !match[2]) return undefined
  return { statement: match[1], format: match[2] }
}

/** A string as a literal of ClickHouse SQL. */
export function sqlString(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
}

export function sqlIdentifier(value: string): string {
  return `\`${value.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\0', '\\0')}\``
}

function malformed(message: string): ParsedCall {
  return { kind: 'malformed', message }
}
