/**
 * Whether another site sent a form (cross-site request forgery). Browsers send `Sec-Fetch-Site`;
 * older browsers, and proxies that remove it, leave `Origin` or `Referer`. A request without all
 * three is not from a page of another site, because browsers send at least one.
 */
import type { FastifyRequest } from 'fastify'

export function isForeignForm(
  { headers }: Pick<FastifyRequest, 'headers'>,
  own: ReadonlySet<string>,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const source = headers.origin ?? headers.referer
  if (source === undefined) return false
  const origin = originIn(source)
  // A page opened under another name of this server has that name as `Host`, which a page of
  // another site cannot choose.
  return origin === undefined || !(own.has(origin.origin) || origin.host === hostOf(headers.host))
}

/** Undefined for `null` and for anything that is not an http or https origin. */
function originIn(source: string): URL | undefined {
  if (!URL.canParse(source)) return undefined
  const url = new URL(source)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}

/** The host in lower case without a default port. */
function hostOf(host: string | undefined): string | undefined {
  return host?.toLowerCase().replace(/:(?:80|443)$/, '')
}
