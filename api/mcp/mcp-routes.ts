/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, for assistants. A request passes
 * these checks: its Origin (403), an access token (401), its rate limit (429), its body. GET and
 * DELETE are 405, because there are no streams and no sessions.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { type Caller, noteTokenUse } from '../auth/access-token.ts'
import { admitToken } from '../auth/token-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, callerOf } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { serveMcp } from './serve-mcp.ts'

/** RFC 6750 §2.1; RFC 9110: the scheme is case-insensitive, and several spaces may follow it. */
const bearerPattern = /^bearer +(\S+)\s*$/i
/** The headers that the SDK reads. */
const headersPassed = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

export async function registerMcp(app: ApiInstance, ctx: ApiContext): Promise<void> {
  const ownOrigin = new URL(ctx.apiUrl).origin
  app.decorateRequest('caller')
  // Only JSON is accepted.
  app.removeContentTypeParser(['text/plain', 'application/x-www-form-urlencoded'])

  app.addHook('onRequest', async (request, reply) => {
    requireOwnOrigin(request, ownOrigin)
    await admitBearer(request, reply, ctx)
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
  })

  app.route({
    method: 'POST',
    url: '/mcp',
    // The draft of a campaign may be as large as over HTTP.
    bodyLimit: emailBodyBytesMax,
    schema: { hide: true },
    handler: async (request, reply) => {
      const { body } = request
      if (body === undefined) throw new CodedError('invalid_json')
      if (Array.isArray(body)) {
        throw invalidField('body', 'must be one JSON-RPC message. Batches are not supported')
      }
      const call = { ctx, caller: callerOf(request), request }
      const web = webRequestOf(request, ctx.apiUrl)
      return sendResponse(reply, await serveMcp(call, { web, body }))
    },
  })
}

/**
 * Browsers send the Origin of the page with every POST. A page of another origin may reach this
 * server under a name of its own (DNS rebinding), so its requests are refused. Other clients send
 * no Origin.
 */
function requireOwnOrigin({ headers }: FastifyRequest, ownOrigin: string): void {
  if (headers.origin === undefined || headers.origin === ownOrigin) return
  throw new CodedError('origin_not_allowed', {
    message: `Pages of other origins cannot call this endpoint. Its own origin is ${ownOrigin}.`,
  })
}

async function admitBearer(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<void> {
  const { authorization } = request.headers
  const isSent = authorization !== undefined && authorization.trim() !== ''
  try {
    if (!isSent) {
      throw new CodedError('missing_credentials', {
        message: 'Send an access token as Authorization: Bearer oat_….',
      })
    }
    // Text that is no Bearer token is a wrong token, which is counted as a guess.
    const value = bearerPattern.exec(authorization)?.[1] ?? '-'
    await admitToken(request, reply, { value, ctx })
  } catch (error) {
    if (error instanceof CodedError && error.code.endsWith('_credentials')) {
      // RFC 6750 §3: without credentials, no reason is given.
      const reason = isSent ? ', error="invalid_token"' : ''
      reply.header('www-authenticate', `Bearer realm="sluice"${reason}`)
    }
    throw error
  }
}

/** The request as the SDK reads it. Every client gets JSON, also one that names no types. */
function webRequestOf({ headers }: FastifyRequest, apiUrl: string): Request {
  const passed = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  })
  for (const name of headersPassed) {
    const value = headers[name]
    if (typeof value === 'string') passed.set(name, value)
  }
  return new Request(`${apiUrl}/mcp`, { method: 'POST', headers: passed })
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type')
  if (type !== null) reply.type(type)
  // No reply is a stream that stays open, so its text is complete.
  const text = await response.text()
  return reply.code(response.status).send(text === '' ? undefined : text)
}
