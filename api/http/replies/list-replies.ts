/**
 * Entity tags and compression of JSON replies, for pages that ask for the same lists again and
 * again.
 *
 * A tag is a hash of the body: the route does its work either way, and what is saved is the
 * transfer and the parsing in the browser. Replies with a secret have neither: the length of a
 * compressed reply tells about its content if a part of it comes from an attacker (BREACH), and no
 * browser should store it. Secrets are in replies to writes, in those that set a cookie, and in
 * those of routes that say so.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'
import { matchesEtag, weakEtag } from './etag.ts'

const gzipInThread = promisify(gzip)

/** Shorter replies fit in one packet. */
const bytesMin = 1_024
/** Half of the default's time, for a reply that is some percent longer. */
const compressionLevel = 3
/** Lists of a portal are kept as bytes and shared by its readers (api/ideas/shared-reads.ts). */
const taggedPaths = /^\/api\/v1\/(?!p\/)/

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its replies may contain a secret: a CSRF token, a key, a token. */
    hasSecrets?: true
  }
}

/** Call it before `addSecurityHeaders`, which forbids to store what has no `Cache-Control` yet. */
export function addListReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isListReply(request, reply, payload)) return payload
    const etag = weakEtag(payload)
    // Each use asks again, and no shared cache keeps it.
    reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'accept-encoding' })
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      reply.code(304)
      reply.removeHeader('content-length')
      return ''
    }
    const encoding = acceptedEncoding(request.headers['accept-encoding'], ['gzip'])
    if (encoding === undefined) return payload
    reply.removeHeader('content-length')
    reply.header('content-encoding', encoding)
    return gzipInThread(payload, { level: compressionLevel })
  })
}

function isListReply(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): payload is string {
  const { method, url, routeOptions } = request
  return (
    method === 'GET' &&
    reply.statusCode === 200 &&
    typeof payload === 'string' &&
    payload.length >= bytesMin &&
    taggedPaths.test(url) &&
    routeOptions.config.hasSecrets !== true &&
    !reply.hasHeader('set-cookie') &&
    !reply.hasHeader('cache-control') &&
    !reply.hasHeader('vary') &&
    String(reply.getHeader('content-type')).startsWith('application/json')
  )
}
