/**
 * The gates before everything below `/api/v1/p/{project_key}`, in this order: how much one address may ask (429), whether there is
 * such a project (404), whether the calling page is on its list (403). What the request holds is looked at only behind them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { clientAddress } from '../../http/client-address.ts'
import { metricsOf } from '../../http/health.ts'
import { type ApiInstance, found, requireUuid } from '../../http/route.ts'
import { type PortalProject, portalDirectoryOf } from './portal-directory.ts'
import { type PortalLimit, PortalLimitError, PortalLimits } from './portal-limits.ts'
import {
  addCorsHeaders,
  answerPreflight,
  mayCall,
  originOf,
  ownOrigins,
  removeCorsHeaders,
} from './portal-origin.ts'

export type { PortalProject } from './portal-directory.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of which limit a request of this portal route is; without one it is a read. */
    limit?: PortalLimit
  }
}

export function portalOf(request: FastifyRequest): PortalProject {
  return request.getDecorator<PortalProject>('portal')
}

/** Adds the gates to a scope whose prefix holds `:project_key`, and answers its preflights. */
export function addPortalGate(app: ApiInstance, ctx: ApiContext): void {
  app.decorateRequest('portal')
  const directory = portalDirectoryOf(app)
  const limits = new PortalLimits(ctx)
  const own = ownOrigins(ctx.apiUrl)
  new Counter({
    name: 'api_portal_addresses_forgotten_total',
    help: 'Addresses whose reads were no longer counted because too many others came.',
    registers: [metricsOf(app)],
    collect() {
      this.reset()
      this.inc(limits.evictedCount)
    },
  })

  app.addHook('onRequest', async (request, reply) => {
    addCorsHeaders(request, reply)
    const key = projectKeyOf(request)
    const portal = await withinLimit(request, reply, async (limit, address) => {
      if (limit === 'read' || limit === 'preflight') {
        reply.headers(limits.takeRead(limit, address))
        return key === undefined ? undefined : directory.find(key)
      }
      const known = key === undefined ? undefined : directory.recall(key)
      limits.refuseFull(limit, address, known)
      const project = key === undefined ? undefined : await directory.find(key)
      reply.headers(await limits.takeWrite(limit, address, project))
      return project
    })
    const project = found(portal)
    const origin = originOf(request)
    if (origin !== undefined && !mayCall(origin, project.settings.allowedOrigins, own)) {
      removeCorsHeaders(reply)
      throw new CodedError('origin_not_allowed')
    }
    request.setDecorator('portal', project)
  })

  for (const url of ['/', '/*']) {
    app.route({
      method: 'OPTIONS',
      url,
      schema: { hide: true },
      config: { limit: 'preflight' },
      handler: async (_request, reply) => answerPreflight(reply),
    })
  }
}

async function withinLimit<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (limit: PortalLimit, address: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(request.routeOptions.config.limit ?? 'read', clientAddress(request))
  } catch (error) {
    if (error instanceof PortalLimitError) reply.headers(error.headers)
    throw error
  }
}

/** Undefined: the path holds nothing that could be a key. Such a request still counts. */
function projectKeyOf(request: FastifyRequest): string | undefined {
  try {
    return requireUuid((request.params as { project_key: string }).project_key)
  } catch {
    return undefined
  }
}
