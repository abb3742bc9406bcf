/** The routes of `/api/v1/admin/email`, for people: each takes a login. */
import { forPeople } from '../auth/people-gate.ts'
import { registerBounceList } from '../bounces/bounce-list-routes.ts'
import { registerBounceAdapters } from '../bounces/webhooks/adapter-routes.ts'
import { registerCampaignAdmin } from '../campaigns/campaign-admin-routes.ts'
import { registerCampaignChecks } from '../campaigns/checks/campaign-check-routes.ts'
import { registerCampaignLosses } from '../campaigns/results/left-routes.ts'
import { registerSending } from '../campaigns/sending/sending-routes.ts'
import { registerBlockedDomains } from '../contacts/blocked-domains/blocked-domain-routes.ts'
import { registerContacts } from '../contacts/contact-routes.ts'
import { registerContactEmails } from '../contacts/emails/contact-email-routes.ts'
import { registerImports } from '../contacts/imports/import-routes.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerSendingDomains } from '../sending-domains/domain-routes.ts'
import { registerSendLog } from '../sends/send-log-routes.ts'
import { registerSuppressions } from '../suppressions/suppression-routes.ts'

export async function registerEmailAdmin(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  registerContacts(app, ctx)
  registerContactEmails(app, ctx)
  registerImports(app, ctx)
  registerBlockedDomains(app, ctx)
  registerCampaignAdmin(app, ctx)
  registerCampaignChecks(app, ctx)
  registerCampaignLosses(app, ctx)
  registerSending(app, ctx)
  registerSendLog(app, ctx)
  registerBounceList(app, ctx)
  registerSuppressions(app, ctx)
  registerBounceAdapters(app, ctx)
  registerSendingDomains(app, ctx)
}
