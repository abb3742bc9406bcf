/**
 * The routes of the email API, for programs: each takes an API key, `Authorization: Bearer emk_…`.
 */
import { requireApiKey } from '../auth/require-api-key.ts'
import { registerBounces } from '../bounces/bounce-routes.ts'
import { registerCampaigns } from '../campaigns/campaign-routes.ts'
import { registerSignup } from '../contacts/signup/signup-route.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerSends } from '../sends/send-routes.ts'

export async function registerEmail(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await requireApiKey(app, ctx)
  registerSignup(app, ctx)
  registerSends(app, ctx)
  registerBounces(app, ctx)
  registerCampaigns(app, ctx)
}
