/** The pages behind the links of emails. The token of a link is the only credential. */
import rateLimit from '@fastify/rate-limit'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerConfirmPage } from './confirm-page.ts'
import { registerDataPages } from './data-pages.ts'
import { takeForms } from './form-body.ts'
import { registerPreferencesPage } from './preferences-page.ts'
import { registerUnsubscribePage } from './unsubscribe-page.ts'

/**
 * High, because a mailbox provider posts the one-click requests of all its users from few
 * addresses.
 */
const requestsPerMinuteMax = 6_000
const addressesKeptMax = 10_000

export async function registerContactPages(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinuteMax,
    timeWindow: 60_000,
    cache: addressesKeptMax,
    enableDraftSpec: true,
    errorResponseBuilder: () => new CodedError('rate_limited'),
  })
  takeForms(app)
  registerConfirmPage(app, ctx)
  registerUnsubscribePage(app, ctx)
  registerPreferencesPage(app, ctx)
  registerDataPages(app, ctx)
}
