/**
 * Requires an API key on every route of a scope. The check comes before validation, so that a
 * client without a key learns nothing about the body that a route takes.
 */
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import { type ApiKeyCaller, authenticateApiKey } from './api-key.ts'

/** Requests with an invalid key, per client address. */
const guessesPerMinuteMax = 300
const windowMs = 60_000
/** Client addresses whose guesses are counted. */
const addressesMax = 10_000

export async function requireApiKey(scope: ApiInstance, ctx: ApiContext): Promise<void> {
  scope.decorateRequest('apiKey')
  const guesses = new SlidingWindow({ windowMs, keysMax: addressesMax })
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ apiKey: [] }] }
  })
  scope.addHook('onRequest', async (request) => {
    try {
      request.setDecorator<ApiKeyCaller>('apiKey', await authenticateApiKey(request, ctx))
    } catch (error) {
      if (!(error instanceof CodedError) || !error.code.endsWith('_key')) throw error
      const hit = guesses.hit(clientAddress(request), guessesPerMinuteMax, ctx.clock.nowMs())
      if (!hit.isFull) throw error
      throw new CodedError('rate_limited', { retryAfterSeconds: hit.resetSeconds })
    }
  })
}

export function apiKeyOf(request: FastifyRequest): ApiKeyCaller {
  return request.getDecorator<ApiKeyCaller>('apiKey')
}
