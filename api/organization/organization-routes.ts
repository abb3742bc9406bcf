/** `/api/v1/organization`: what people with a login see and change of the organization they work for. */
import { NameBody, Organization } from '#schemas/rest/organization.ts'
import { registerAudit } from '../audit/audit-routes.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, forPeople, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { registerNewsletters } from '../newsletters/newsletter-routes.ts'
import { registerProjects } from '../projects/project-admin-routes.ts'
import { registerCredentials } from './credential-routes.ts'
import { registerMembers } from './member-routes.ts'
import {
  findOrganization,
  renameOrganization,
  type StoredOrganization,
} from './organization-store.ts'

const tags = ['organization']

export async function registerOrganization(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)

  app.route({
    method: 'GET',
    url: '',
    schema: { tags, summary: 'The organization', response: replies(Organization) },
    handler: async (request) =>
      viewOf(found(await findOrganization(ctx.pg, personOf(request).organizationId))),
  })

  app.route({
    method: 'PATCH',
    url: '',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Rename the organization',
      body: NameBody,
      response: replies(Organization),
    },
    handler: async (request) => {
      const { organizationId: id } = personOf(request)
      const { name } = request.body
      const renamed = await ctx.pg.transaction(async (client) => {
        await addAudit(client, actorOf(request), {
          action: 'organization.renamed',
          subjectType: 'organization',
          subjectId: id,
          details: { name },
        })
        return renameOrganization(client, { id, name })
      })
      return viewOf(found(renamed))
    },
  })

  registerProjects(app, ctx)
  registerMembers(app, ctx)
  registerCredentials(app, ctx)
  registerNewsletters(app, ctx)
  registerAudit(app, ctx)
}

function viewOf({ id, name, created_at }: StoredOrganization) {
  return { id, name, created_at: created_at.toISOString() }
}
