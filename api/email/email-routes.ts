/** The email API for programs: every route below takes an API key, `Authorization: Bearer emk_…`. */
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerBounces } from './bounces/bounce-routes.ts'
import { registerCampaigns } from './campaigns/campaign-routes.ts'
import { registerContacts } from './contacts/contact-routes.ts'
import { requireApiKey } from './require-api-key.ts'
import { registerSends } from './sends/send-routes.ts'

export async function registerEmail(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await requireApiKey(app, ctx)
  registerContacts(app, ctx)
  registerSends(app, ctx)
  registerBounces(app, ctx)
  registerCampaigns(app, ctx)
}
