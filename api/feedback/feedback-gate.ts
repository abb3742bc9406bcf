/**
 * The gates before feedback, in this order: 20 calls a minute and address, good or bad, so that tokens cannot be guessed fast (429);
 * a token (401, one text for whatever is wrong with it); a project that there is (404), of the token's organization and within
 * its scopes (403). What the request asks for is looked at after all of them.
 */
import type { FastifyRequest } from 'fastify'
import { ipKey } from '#platform/ip-key.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { authenticate, type Caller, noteTokenUse, requireScope } from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, callerOf, found, requireUuid } from '../http/route.ts'
import { findProjectOfAny } from '../io/project-store.ts'
import { FeedbackCalls } from './feedback-calls.ts'

export function addFeedbackGate(app: ApiInstance, ctx: ApiContext): void {
  app.decorateRequest('caller')
  app.decorateRequest('project')
  const calls = new FeedbackCalls()

  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ accessToken: [] }] }
  })
  app.addHook('onRequest', async (request, reply) => {
    const hit = calls.hit(ipKey(request.ip) ?? request.ip, ctx.clock.nowMs())
    reply.headers(hit.headers)
    if (!hit.isAllowed) {
      throw new CodedError('rate_limited', {
        message: 'Too many requests: feedback takes 20 a minute from one address.',
      })
    }
    request.setDecorator<Caller>('caller', await authenticateInOneText(request, ctx))
  })
  app.addHook('preValidation', async (request) => {
    const caller = callerOf(request)
    const { project_id } = request.params as { project_id: string }
    const project = found(await findProjectOfAny(ctx.pg, requireUuid(project_id)))
    if (project.organizationId !== caller.organizationId) throw new CodedError('project_forbidden')
    requireScope(caller, 'feedback:read')
    request.setDecorator('project', project)
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
  })
}

/** Who tries tokens learns nothing of which ones there were. */
async function authenticateInOneText(request: FastifyRequest, ctx: ApiContext): Promise<Caller> {
  try {
    return await authenticate(request, ctx)
  } catch (error) {
    const refused =
      error instanceof CodedError &&
      (error.code === 'missing_credentials' || error.code === 'invalid_credentials')
    if (!refused) throw error
    throw new CodedError('invalid_credentials', {
      message: 'Send a valid access token in the header X-API-Key.',
    })
  }
}
