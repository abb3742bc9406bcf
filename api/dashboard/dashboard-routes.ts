/**
 * The dashboard: one page for all of its paths, and the files of its build. Their names contain a
 * hash of the content, so browsers keep them for ever.
 */
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { replyWithError } from '../http/error-reply.ts'
import type { ApiInstance } from '../http/route.ts'
import type { DashboardPage } from './dashboard-page.ts'

/**
 * The first path segments of the dashboard's pages. All other paths belong to the API, the portal,
 * and the links in emails. The dashboard decides which page a path below a segment shows.
 */
export const dashboardSegments = [
  'projects',
  'email',
  'organization',
  'operation',
  'account',
  'login',
  'password',
  'design',
] as const

const aYearMs = 365 * 24 * 3_600_000
const hidden = { schema: { hide: true } } as const
/** A file of the build. Compressed copies are sent instead of it, never under their own name. */
const assetName = /^\/?\w[\w.-]*\.(?!br$|gz$)\w+$/

export async function registerDashboard(app: ApiInstance, page: DashboardPage): Promise<void> {
  const show = (request: FastifyRequest, reply: FastifyReply) => page.send(request, reply, 200)
  const shown = { ...hidden, config: { isPage: true } } as const
  app.get('/', shown, show)
  for (const segment of dashboardSegments) {
    app.get(`/${segment}`, shown, show)
    app.get(`/${segment}/*`, shown, show)
  }

  await app.register(async (scope) => {
    // The plugin refuses paths such as `/assets/../x` with other errors, which say why.
    scope.setErrorHandler((error: { statusCode?: number }, request, reply) => {
      const isRefused = error.statusCode !== undefined && error.statusCode < 500
      replyWithError(isRefused ? new CodedError('not_found') : error, request, reply)
    })
    await scope.register(fastifyStatic, {
      root: join(page.folder, 'assets'),
      prefix: '/assets/',
      // The folder may be built later.
      suppressWarning: true,
      allowedPath: (path) => assetName.test(path),
      index: false,
      acceptRanges: false,
      dotfiles: 'ignore',
      preCompressed: true,
      immutable: true,
      maxAge: aYearMs,
    })
    scope.get('/favicon.svg', hidden, (_request, reply) =>
      reply.sendFile('favicon.svg', page.folder, { immutable: false, maxAge: '1h' }),
    )
  })
}
