/**
 * Whether another site sent a form of ours (cross-site request forgery). Browsers say where a request comes from in `Sec-Fetch-Site`;
 * older ones, and proxies that remove it, leave `Origin`, and failing that `Referer`. A request with none of the three comes from no
 * page: no browser sends a form of another site without all of them.
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
  // Pages opened under another name of this server send that name as `Host`, which a page of another site cannot choose.
  return origin === undefined || !(own.has(origin.origin) || origin.host === hostOf(headers.host))
}

/** Undefined: `null`, or nothing that a web page could have as its origin. */
function originIn(source: string): URL | undefined {
  if (!URL.canParse(source)) return undefined
  const url = new URL(source)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}

/** Without a default port, as in the host of a URL of either scheme. */
function hostOf(host: string | undefined): string | undefined {
  return host?.toLowerCase().replace(/:(?:80|443)$/, '')
}
