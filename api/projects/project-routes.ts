/**
 * All routes below `/api/v1/projects/{project_id}`. Each request passes the same checks in this
 * order: an access token or a login (401), its rate limit (429), its scope or role (403), and a
 * project of its organization (404).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { registerAlerts } from '../alerts/alert-routes.ts'
import { registerAttachments } from '../attachments/attachment-routes.ts'
import { apiKeyHeaderOf, type Caller, noteTokenUse, requireScope } from '../auth/access-token.ts'
import { admitPerson, noteLoginUse, personOf } from '../auth/people-gate.ts'
import { personCaller } from '../auth/person-caller.ts'
import { admitToken } from '../auth/token-gate.ts'
import { registerBriefs } from '../briefs/brief-routes.ts'
import type { ApiContext } from '../context.ts'
import { registerEvents } from '../events/event-routes.ts'
import { type ApiInstance, callerOf } from '../http/route.ts'
import { registerIssues } from '../issues/issue-routes.ts'
import { registerKeys } from '../keys/key-routes.ts'
import { readLoginCookie } from '../logins/login-cookie.ts'
import { registerMonitors } from '../monitors/monitor-routes.ts'
import { registerAlertDeliveries } from '../notifications/alert-delivery-routes.ts'
import { registerOutcomes } from '../outcomes/outcome-routes.ts'
import { registerOverview } from '../overview/overview-routes.ts'
import { registerOwnership } from '../ownership/ownership-routes.ts'
import { registerQuota } from '../quota/quota-routes.ts'
import { registerReleases } from '../releases/release-routes.ts'
import { registerSearchFields } from '../search/search-field-routes.ts'
import { registerSettings } from '../settings/settings-routes.ts'
import { registerTags } from '../tags/tag-routes.ts'
import { registerTriage } from '../triage/triage-routes.ts'
import { registerViews } from '../views/view-routes.ts'
import { requireProject } from './require-project.ts'

export async function registerProjectRoutes(app: ApiInstance, ctx: ApiContext): Promise<void> {
  app.decorateRequest('caller')
  app.decorateRequest('project')

  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ accessToken: [] }, { login: [] }] }
  })

  app.addHook('onRequest', async (request, reply) => {
    // A browser adds its cookie to every request, so a token takes precedence.
    if (!request.headers['x-api-key'] && readLoginCookie(request) !== undefined) {
      request.setDecorator<Caller>('caller', await authenticatePerson(request, reply, ctx))
      return
    }
    await admitToken(request, reply, { value: apiKeyHeaderOf(request), ctx })
  })
  // Before validation, so that a client without the scope learns nothing about the body.
  app.addHook('preValidation', async (request) => {
    const caller = callerOf(request)
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(caller, scope)
    request.setDecorator('project', await requireProject(request, projectIdIn(request), ctx))
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
    await noteLoginUse(request, ctx)
  })

  registerOverview(app, ctx)
  registerIssues(app, ctx)
  registerTriage(app, ctx)
  registerEvents(app, ctx)
  registerAttachments(app, ctx)
  registerBriefs(app, ctx)
  registerTags(app, ctx)
  registerSearchFields(app)
  registerReleases(app, ctx)
  registerMonitors(app, ctx)
  registerOutcomes(app, ctx)
  registerQuota(app, ctx)
  registerKeys(app, ctx)
  registerSettings(app, ctx)
  registerAlerts(app, ctx)
  registerAlertDeliveries(app, ctx)
  registerOwnership(app, ctx)
  registerViews(app, ctx)
}

async function authenticatePerson(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<Caller> {
  await admitPerson(request, reply, ctx)
  return personCaller(personOf(request))
}

function projectIdIn(request: FastifyRequest): string {
  return (request.params as { project_id: string }).project_id
}
