/** `/api/v1/organization`: the organization of the login, its people, projects and credentials. */
import { NameBody, Organization } from '#schemas/rest/organization.ts'
import { registerAudit } from '../audit/audit-routes.ts'
import { actorOf, forPeople, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { registerCredentials } from '../credentials/credential-routes.ts'
import { registerDeletions } from '../deletions/deletion-routes.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { registerNewsletters } from '../newsletters/newsletter-routes.ts'
import { registerWebhookDeliveries } from '../notifications/webhook-delivery-routes.ts'
import { registerMembers } from '../people/member-routes.ts'
import { registerProjects } from '../projects/project-admin-routes.ts'
import { registerWebhooks } from '../webhooks/webhook-routes.ts'
import { findOrganization, type StoredOrganization } from './organization-store.ts'
import { updateOrganization } from './update-organization.ts'

const tags = ['organization']

export async function registerOrganization(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)

  app.route({
    method: 'GET',
    url: '',
    schema: {
      operationId: 'getOrganization',
      tags,
      summary: 'Get the organization',
      description: 'The organization that the login works for.',
      response: replies(Organization),
    },
    handler: async (request) =>
      viewOf(found(await findOrganization(ctx.pg, personOf(request).organizationId))),
  })

  app.route({
    method: 'PATCH',
    url: '',
    config: { role: 'owner' },
    schema: {
      operationId: 'updateOrganization',
      tags,
      summary: 'Rename the organization',
      body: NameBody,
      response: replies(Organization),
    },
    handler: async (request) =>
      viewOf(await updateOrganization(ctx, actorOf(request), request.body)),
  })

  registerProjects(app, ctx)
  registerMembers(app, ctx)
  registerCredentials(app, ctx)
  registerNewsletters(app, ctx)
  registerAudit(app, ctx)
  registerDeletions(app, ctx)
  registerWebhooks(app, ctx)
  registerWebhookDeliveries(app, ctx)
}

function viewOf({ id, name, created_at }: StoredOrganization) {
  return { id, name, created_at: created_at.toISOString() }
}
