/** The email API for programs: every route below takes an API key, `Authorization: Bearer emk_…`. */
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerContacts } from './contacts/contact-routes.ts'
import { requireApiKey } from './require-api-key.ts'

export async function registerEmail(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await requireApiKey(app, ctx)
  registerContacts(app, ctx)
}
