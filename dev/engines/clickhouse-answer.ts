/**
 * Answers one call of the HTTP interface: reads its query and rows, runs it in a session, and
 * replies as ClickHouse would.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isAuthorized } from './clickhouse-auth.ts'
import { readSql, saveRows } from './clickhouse-body.ts'
import { type ClickHouseFailure, ClickHouseRefusal, failureOf } from './clickhouse-error.ts'
import { type ClickHouseCall, insertHead, parseCall, sqlString } from './clickhouse-request.ts'
import type { ClickHouseSessions, QueryResult } from './clickhouse-sessions.ts'

export interface FrontContext {
  readonly sessions: ClickHouseSessions
  readonly password: string
  /** Folder for the rows of an insert while it runs. */
  readonly rowsFolder: string
}

export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  ctx: FrontContext,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://front')
  if (url.pathname === '/ping' || (url.pathname === '/' && url.search === '' && isGet(request))) {
    response.end('Ok.\n')
    return
  }
  try {
    const call = admit(request, url, ctx)
    const result = await runCall(request, call, ctx)
    sendResult(request, response, call, url, result)
  } catch (error) {
    sendFailure(response, failureOf(error))
    // An unread rest of the body would keep the connection open.
    if (!request.complete) request.destroy()
  }
}

function admit(request: IncomingMessage, url: URL, ctx: FrontContext): ClickHouseCall {
  if (!isAuthorized(request.headers, url, ctx.password)) {
    throw new ClickHouseRefusal(516, 401, 'AUTHENTICATION_FAILED', 'The password is not correct')
  }
  if (url.pathname !== '/') {
    throw new ClickHouseRefusal(404, 404, 'NOT_FOUND', `There is no path ${url.pathname}`)
  }
  const parsed = parseCall(url)
  if (parsed.kind === 'malformed') {
    throw new ClickHouseRefusal(36, 400, 'BAD_ARGUMENTS', parsed.message)
  }
  return parsed.call
}

async function runCall(
  request: IncomingMessage,
  call: ClickHouseCall,
  ctx: FrontContext,
): Promise<QueryResult> {
  const head = insertHead(call.urlQuery)
  if (!head) {
    const body = await readSql(request)
    const sql = call.urlQuery === '' ? body : `${call.urlQuery}\n${body}`
    if (sql.trim() === '') throw new ClickHouseRefusal(62, 400, 'SYNTAX_ERROR', 'Empty query')
    return ctx.sessions.run(sql, call)
  }
  const path = join(ctx.rowsFolder, randomUUID())
  try {
    await saveRows(request, path)
    const source = `file(${sqlString(path)}, ${sqlString(head.format)})`
    return await ctx.sessions.run(`${head.statement} select * from ${source}`, call)
  } finally {
    await rm(path, { force: true })
  }
}

function sendResult(
  request: IncomingMessage,
  response: ServerResponse,
  call: ClickHouseCall,
  url: URL,
  result: QueryResult,
): void {
  const bytes = Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength)
  const wantsGzip =
    url.searchParams.get('enable_http_compression') === '1' &&
    /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const body = wantsGzip && bytes.length > 0 ? gzipSync(bytes) : bytes
  response.writeHead(200, {
    'Content-Type': call.format.startsWith('JSON')
      ? 'application/json'
      : 'text/plain; charset=UTF-8',
    'Content-Length': body.length,
    ...(body === bytes ? {} : { 'Content-Encoding': 'gzip' }),
    'X-ClickHouse-Query-Id': call.queryId ?? randomUUID(),
    'X-ClickHouse-Format': call.format,
    'X-ClickHouse-Timezone': 'UTC',
    'X-ClickHouse-Summary': JSON.stringify({
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      elapsed_ns: String(Math.round(result.elapsedSeconds * 1e9)),
    }),
  })
  response.end(body)
}

function sendFailure(response: ServerResponse, failure: ClickHouseFailure): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(failure.status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(failure.code),
  })
  response.end(`${failure.text}\n`)
}

function isGet(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}
