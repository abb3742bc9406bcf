import rateLimit from '@fastify/rate-limit'
import { CodedError } from '#schemas/error-codes.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'

/**
 * High, because a mailbox provider posts the one-click requests of all its users from few
 * addresses.
 */
const requestsPerMinuteMax = 6_000
const addressesKeptMax = 10_000

/** Limits the requests of a client address to the pages behind links of emails. */
export async function limitLinkRequests(app: ApiInstance): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinuteMax,
    timeWindow: 60_000,
    cache: addressesKeptMax,
    enableDraftSpec: true,
    keyGenerator: clientAddress,
    errorResponseBuilder: () => new CodedError('rate_limited'),
  })
}
