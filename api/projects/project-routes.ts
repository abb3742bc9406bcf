/**
 * All routes below `/api/v1/projects/{project_id}`. Each request passes the same checks in this
 * order: an access token or a login (401), its rate limit (429), its scope or role (403), and a
 * project of its organization (404).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { apiRequestsPerMinuteMax } from '#schemas/limits.ts'
import { type AccessScope, accessScopes } from '#schemas/rest/access-scope.ts'
import { registerAlerts } from '../alerts/alert-routes.ts'
import { authenticate, type Caller, noteTokenUse, requireScope } from '../auth/access-token.ts'
import { admitPerson, noteLoginUse, personOf, type Role } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { registerEvents } from '../events/event-routes.ts'
import { clientAddress } from '../http/client-address.ts'
import { type ApiInstance, callerOf, found, requireUuid } from '../http/route.ts'
import { registerIssues } from '../issues/issue-routes.ts'
import { registerKeys } from '../keys/key-routes.ts'
import { readLoginCookie } from '../logins/login-cookie.ts'
import { registerMonitors } from '../monitors/monitor-routes.ts'
import { registerAlertDeliveries } from '../notifications/alert-delivery-routes.ts'
import { registerOutcomes } from '../outcomes/outcome-routes.ts'
import { registerQuota } from '../quota/quota-routes.ts'
import { countRequest } from '../rate-limits/count-request.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import { registerReleases } from '../releases/release-routes.ts'
import { registerSettings } from '../settings/settings-routes.ts'
import { registerTags } from '../tags/tag-routes.ts'
import { findProject } from './project-store.ts'

const windowMs = 60_000
/** Access tokens and client addresses whose requests are counted. */
const ratesKeptMax = 10_000

export async function registerProjectRoutes(app: ApiInstance, ctx: ApiContext): Promise<void> {
  app.decorateRequest('caller')
  app.decorateRequest('project')

  const tokenRate = new SlidingWindow({ windowMs, keysMax: ratesKeptMax })
  // A request without a valid token is counted by client address.
  const guesses = new SlidingWindow({ windowMs, keysMax: ratesKeptMax })

  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: [{ accessToken: [] }, { login: [] }] }
  })

  app.addHook('onRequest', async (request, reply) => {
    const nowMs = ctx.clock.nowMs()
    // A browser adds its cookie to every request, so a token takes precedence.
    if (!request.headers['x-api-key'] && readLoginCookie(request) !== undefined) {
      request.setDecorator<Caller>('caller', await authenticatePerson(request, reply, ctx))
      return
    }
    const caller = await authenticate(request, ctx).catch((error: unknown) => {
      const hit = guesses.hit(clientAddress(request), apiRequestsPerMinuteMax, nowMs)
      if (!hit.isFull) throw error
      throw new CodedError('rate_limited', { retryAfterSeconds: hit.resetSeconds })
    })
    request.setDecorator<Caller>('caller', caller)
    countRequest(tokenRate, reply, { key: caller.id, hitsMax: apiRequestsPerMinuteMax, nowMs })
  })
  // Before validation, so that a client without the scope learns nothing about the body.
  app.addHook('preValidation', async (request) => {
    const caller = callerOf(request)
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(caller, scope)
    const id = requireUuid(projectIdIn(request))
    const project = await findProject(ctx.pg, { id, organizationId: caller.organizationId })
    request.setDecorator('project', found(project))
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
    await noteLoginUse(request, ctx)
  })

  registerIssues(app, ctx)
  registerEvents(app, ctx)
  registerTags(app, ctx)
  registerReleases(app, ctx)
  registerMonitors(app, ctx)
  registerOutcomes(app, ctx)
  registerQuota(app, ctx)
  registerKeys(app, ctx)
  registerSettings(app, ctx)
  registerAlerts(app, ctx)
  registerAlertDeliveries(app, ctx)
}

const scopesOfRole = {
  viewer: ['feedback:read', 'issues:read'],
  member: accessScopes,
  owner: accessScopes,
} as const satisfies Record<Role, readonly AccessScope[]>

async function authenticatePerson(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<Caller> {
  await admitPerson(request, reply, ctx)
  const { personId, organizationId, email, role } = personOf(request)
  return {
    type: 'person',
    id: personId,
    organizationId,
    label: email,
    scopes: scopesOfRole[role],
    lastUsedAt: null,
  }
}

function projectIdIn(request: FastifyRequest): string {
  return (request.params as { project_id: string }).project_id
}
