/** Requests without a route: 405 with `Allow` if the path exists with other methods, else 404. */
import type { FastifyInstance } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'

/** Call before any route is registered, because it collects the routes as they are added. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes: { path: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    // Preflight routes end in `*` and match paths that do not exist.
    if (method !== 'OPTIONS') routes.push({ path: pathPattern(url), methods: [method].flat() })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const methods = routes
      .filter((route) => route.path.test(path))
      .flatMap(({ methods }) => methods)
    if (methods.length === 0 || methods.includes(request.method)) throw new CodedError('not_found')
    reply.header('allow', [...new Set(methods)].join(', '))
    throw new CodedError('method_not_allowed')
  })
}

/** A pattern for paths such as `/issues/:issue_id/events`; a trailing `*` matches the rest. */
function pathPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
