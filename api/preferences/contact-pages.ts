/** The pages behind the links of emails. The token of a link is the only credential. */
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerConfirmPage } from './confirm-page.ts'
import { registerDataPages } from './data-pages.ts'
import { takeForms } from './form-body.ts'
import { limitLinkRequests } from './limit-link-requests.ts'
import { registerPreferencesPage } from './preferences-page.ts'
import { registerUnsubscribePage } from './unsubscribe-page.ts'

export async function registerContactPages(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await limitLinkRequests(app)
  takeForms(app)
  registerConfirmPage(app, ctx)
  registerUnsubscribePage(app, ctx)
  registerPreferencesPage(app, ctx)
  registerDataPages(app, ctx)
}
