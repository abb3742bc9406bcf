/**
 * Requests without a route: 405 with `Allow` if the path exists with other methods, else 404. A
 * browser that opens an unknown page gets the dashboard, which says so; programs get JSON.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { DashboardPage } from '../dashboard/dashboard-page.ts'

/** Paths below them are no pages. */
const withoutPages = /^\/(?:api|assets)(?:\/|$)/

/** Call before any route is registered, because it collects the routes as they are added. */
export function answerUnknownRoutes(app: FastifyInstance, dashboard: DashboardPage): void {
  const routes: { path: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    // Preflight routes end in `*` and match paths that do not exist.
    if (method !== 'OPTIONS') routes.push({ path: pathPattern(url), methods: [method].flat() })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const methods = routes
      .filter((route) => route.path.test(path))
      .flatMap(({ methods }) => methods)
    if (methods.length === 0 || methods.includes(request.method)) {
      if (isPageRequest(request, path)) return dashboard.send(request, reply, 404)
      throw new CodedError('not_found')
    }
    reply.header('allow', [...new Set(methods)].join(', '))
    throw new CodedError('method_not_allowed')
  })
}

function isPageRequest({ method, headers }: FastifyRequest, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return (headers.accept?.includes('text/html') ?? false) && !withoutPages.test(path)
}

/** A pattern for paths such as `/issues/:issue_id/events`; a trailing `*` matches the rest. */
function pathPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
