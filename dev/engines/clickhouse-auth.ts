import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Accepts the three ways in which ClickHouse clients send a password. */
export function isAuthorized(headers: IncomingHttpHeaders, url: URL, password: string): boolean {
  const given =
    basicPassword(headers.authorization) ??
    headers['x-clickhouse-key'] ??
    url.searchParams.get('password') ??
    ''
  return timingSafeEqual(digest(String(given)), digest(password))
}

function basicPassword(authorization: string | undefined): string | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
