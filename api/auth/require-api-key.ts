/** The gate of the email API. Before validation: whoever has no key learns nothing of what a route takes. */
import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { type ApiKeyCaller, authenticateApiKey } from './api-key.ts'

/** Of one address: enough for every client that has a wrong key by mistake. */
const guessesPerMinuteMax = 300
const addressesKeptMax = 10_000

export async function requireApiKey(scope: ApiInstance, ctx: ApiContext): Promise<void> {
  scope.decorateRequest('apiKey')
  await scope.register(rateLimit, { global: false, cache: addressesKeptMax })
  const countGuess = scope.createRateLimit({
    max: guessesPerMinuteMax,
    timeWindow: 60_000,
    keyGenerator: clientAddress,
  })

  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ apiKey: [] }] }
  })
  scope.addHook('onRequest', async (request, reply) => {
    try {
      request.setDecorator<ApiKeyCaller>('apiKey', await authenticateApiKey(request, ctx))
    } catch (error) {
      if (!(error instanceof CodedError) || !error.code.endsWith('_key')) throw error
      const rate = await countGuess(request)
      if (rate.isAllowed || !rate.isExceeded) {
        throw error
      }
      reply.header('retry-after', rate.ttlInSeconds)
      throw new CodedError('rate_limited')
    }
  })
}

export function apiKeyOf(request: FastifyRequest): ApiKeyCaller {
  return request.getDecorator<ApiKeyCaller>('apiKey')
}
