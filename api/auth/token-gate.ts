/**
 * Admits requests with an access token: authenticates it and counts the request. The counts are of
 * the whole API, so a token has one rate limit over all routes that use this gate.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { apiRequestsPerMinuteMax } from '#schemas/limits.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { countRequest } from '../rate-limits/count-request.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import { authenticate, type Caller } from './access-token.ts'

const windowMs = 60_000
/** Access tokens and client addresses whose requests are counted. */
const ratesKeptMax = 10_000

/** Call once for the whole API, before any route is registered. */
export function countTokens(app: ApiInstance): void {
  app.decorate('tokenRate', new SlidingWindow({ windowMs, keysMax: ratesKeptMax }))
  // A request without a valid token is counted by client address.
  app.decorate('tokenGuesses', new SlidingWindow({ windowMs, keysMax: ratesKeptMax }))
}

/**
 * Sets the caller that `callerOf` returns. Throws `missing_credentials`, `invalid_credentials` or
 * `rate_limited`. `value` is what the client sent as its token.
 */
export async function admitToken(
  request: FastifyRequest,
  reply: FastifyReply,
  { value, ctx }: { value: string | undefined; ctx: ApiContext },
): Promise<void> {
  const nowMs = ctx.clock.nowMs()
  const caller = await authenticate(value, ctx).catch((error: unknown) => {
    const guesses = request.server.getDecorator<SlidingWindow>('tokenGuesses')
    const hit = guesses.hit(clientAddress(request), apiRequestsPerMinuteMax, nowMs)
    if (!hit.isFull) throw error
    throw new CodedError('rate_limited', { retryAfterSeconds: hit.resetSeconds })
  })
  request.setDecorator<Caller>('caller', caller)
  const rate = request.server.getDecorator<SlidingWindow>('tokenRate')
  countRequest(rate, reply, { key: caller.id, hitsMax: apiRequestsPerMinuteMax, nowMs })
}
