/**
 * The checks of all routes below `/api/v1/p/{project_key}`, in this order: the rate limit of the
 * client address (429), the project (404), the origin of the calling page (403). Parameters and
 * bodies are validated after them.
 */
import type { FastifyRequest } from 'fastify'
import { counter } from '#platform/metrics/create-metric.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { apiMetrics } from '#schemas/metrics/api-metrics.ts'
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
    /** The rate limit of a portal route; `read` if omitted. */
    limit?: PortalLimit
  }
}

export function portalOf(request: FastifyRequest): PortalProject {
  return request.getDecorator<PortalProject>('portal')
}

/**
 * Adds the checks to a scope whose prefix has `:project_key`, and answers its preflight requests.
 */
export function addPortalGate(app: ApiInstance, ctx: ApiContext): void {
  app.decorateRequest('portal')
  const directory = portalDirectoryOf(app)
  const limits = new PortalLimits(ctx)
  const own = ownOrigins(ctx.apiUrl)
  counter(metricsOf(app), apiMetrics.portalAddressesForgotten, (forgotten) =>
    forgotten.inc(limits.evictedCount),
  )

  // A limit may also refuse a request later, in the transaction of a suggestion.
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof PortalLimitError) reply.headers(error.headers)
    replyWithError(error, request, reply)
  })

  app.addHook('onRequest', async (request, reply) => {
    const key = projectKeyOf(request)
    // First and without I/O, so that a page which may not call cannot read a refusal by rate
    // either.
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
    // Without a portal there is no list of origins, and the reply is 404.
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

/** Undefined: the path has no valid key. The rate limit counts such a request too. */
function projectKeyOf(request: FastifyRequest): string | undefined {
  try {
    return requireUuid((request.params as { project_key: string }).project_key)
  } catch {
    return undefined
  }
}
