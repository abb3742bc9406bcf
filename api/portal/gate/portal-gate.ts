/**
 * The gates before everything below `/api/v1/p/{project_key}`, in this order: how much one address may ask (429), whether there is
 * such a project (404), whether the calling page is on its list (403). What the request holds is looked at only behind them.
 */
import type { FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { clientAddress } from '../../http/client-address.ts'
import { replyWithError } from '../../http/error-reply.ts'
import { metricsOf } from '../../http/health.ts'
import { type ApiInstance, found, requireUuid } from '../../http/route.ts'
import { hasPagePass } from './page-pass.ts'
import { type PortalProject, portalDirectoryOf } from './portal-directory.ts'
import { type PortalLimit, PortalLimitError, PortalLimits } from './portal-limits.ts'
import {
  addCorsHeaders,
  answerPreflight,
  mayPageCall,
  ownOrigins,
  setCorsOrigin,
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

  // Limits are also met behind the gate, in the transaction of a write.
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof PortalLimitError) reply.headers(error.headers)
    replyWithError(error, request, reply)
  })

  app.addHook('onRequest', async (request, reply) => {
    const key = projectKeyOf(request)
    // Before anything can be refused, and without I/O: also a refusal for its rate tells nothing to a page that may not call.
    const recalled = key === undefined ? undefined : directory.recall(key)
    addCorsHeaders(request, reply, { recalled, isNoKey: key === undefined, own })
    const portal = await withinLimit(request, async (limit, address) => {
      if (limit === 'read' || limit === 'preflight' || limit === 'page') {
        if (limit !== 'read' || !hasPagePass(app, request)) {
          reply.headers(limits.takeRead(limit, address))
        }
        return key === undefined ? undefined : directory.find(key)
      }
      limits.refuseFull(limit, address, recalled)
      const project = key === undefined ? undefined : await directory.find(key)
      reply.headers(await limits.takeWrite(limit, address, project))
      return project
    })
    // Where there is no such portal, nobody is refused for the page that calls.
    const isAllowed = portal === undefined || mayPageCall(request, portal, own)
    setCorsOrigin(request, reply, isAllowed)
    const project = found(portal)
    if (!isAllowed) throw new CodedError('origin_not_allowed')
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

function withinLimit<T>(
  request: FastifyRequest,
  work: (limit: PortalLimit, address: string) => Promise<T>,
): Promise<T> {
  return work(request.routeOptions.config.limit ?? 'read', clientAddress(request))
}

/** Undefined: the path holds nothing that could be a key. Such a request still counts. */
function projectKeyOf(request: FastifyRequest): string | undefined {
  try {
    return requireUuid((request.params as { project_key: string }).project_key)
  } catch {
    return undefined
  }
}
