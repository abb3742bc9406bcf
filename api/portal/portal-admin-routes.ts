/** `/api/v1/admin/portal/{project_id}`: administration of a portal, behind a login. */
import { forPeople, personOf } from '../auth/people-gate.ts'
import { registerTeamComments } from '../comments/team-comment-routes.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { registerIdeaFiles } from '../ideas/files/idea-file-routes.ts'
import { registerIdeaAdmin } from '../ideas/idea-admin-routes.ts'
import { registerTagAdmin } from '../ideas/tags/tag-admin-routes.ts'
import { registerVoters } from '../ideas/votes/voter-routes.ts'
import { registerModeration } from '../moderation/moderation-routes.ts'
import { registerPortalUsers } from './endusers/portal-user-routes.ts'
import { registerEndUserSecrets } from './secrets/secret-routes.ts'
import { registerPortalSettings } from './settings/portal-settings-routes.ts'
import { findPortalOfOrganization } from './settings/portal-settings-store.ts'

export async function registerPortalAdmin(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  app.decorateRequest('adminPortal')
  app.addHook('preValidation', async (request) => {
    const { project_id } = request.params as { project_id: string }
    const { organizationId } = personOf(request)
    const projectId = requireUuid(project_id)
    const portal = await findPortalOfOrganization(ctx.pg, { projectId, organizationId })
    request.setDecorator('adminPortal', found(portal))
  })

  registerPortalSettings(app, ctx)
  registerIdeaAdmin(app, ctx)
  registerVoters(app, ctx)
  registerIdeaFiles(app, ctx)
  registerTagAdmin(app, ctx)
  registerEndUserSecrets(app, ctx)
  registerPortalUsers(app, ctx)
  registerModeration(app, ctx)
  registerTeamComments(app, ctx)
}
