/**
 * The checks of the feedback routes for scripts, in this order: at most 20 requests a minute from
 * one client address, so that tokens cannot be guessed fast (429); a token (401, with the same text
 * for every reason); a project of the token's organization (404, also if it does not exist); the
 * scope (403). Parameters are validated after all of them.
 */
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import {
  apiKeyHeaderOf,
  authenticate,
  type Caller,
  noteTokenUse,
  requireScope,
} from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import { type ApiInstance, callerOf, found, requireUuid } from '../http/route.ts'
import { findProject } from '../projects/project-store.ts'
import { rateHeaders } from '../rate-limits/rate-window-store.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'

const callsPerMinuteMax = 20
const windowMs = 60_000
const addressesMax = 100_000

export function addFeedbackGate(app: ApiInstance, ctx: ApiContext): void {
  app.decorateRequest('caller')
  app.decorateRequest('project')
  const calls = new SlidingWindow({ windowMs, keysMax: addressesMax })

  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ accessToken: [] }] }
  })
  app.addHook('onRequest', async (request, reply) => {
    const hit = calls.hit(clientAddress(request), callsPerMinuteMax, ctx.clock.monotonicMs())
    reply.headers(rateHeaders(hit, hit.isFull ? hit.resetSeconds : undefined))
    if (hit.isFull) {
      throw new CodedError('rate_limited', {
        message: `Too many requests: at most ${callsPerMinuteMax} a minute from one client address.`,
      })
    }
    request.setDecorator<Caller>('caller', await authenticateInOneText(request, ctx))
  })
  app.addHook('preValidation', async (request) => {
    const caller = callerOf(request)
    const { project_id } = request.params as { project_id: string }
    const { organizationId } = caller
    const id = requireUuid(project_id)
    const project = found(await findProject(ctx.pg, { id, organizationId }))
    requireScope(caller, 'feedback:read')
    request.setDecorator('project', project)
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
  })
}

/** One text for all reasons, so that guessing tokens tells nothing. */
async function authenticateInOneText(request: FastifyRequest, ctx: ApiContext): Promise<Caller> {
  try {
    return await authenticate(apiKeyHeaderOf(request), ctx)
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
