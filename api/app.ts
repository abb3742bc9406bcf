/** Builds the API: all route groups, the error handler, and the limits on requests. */
import type { Socket } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { CodedError } from '#schemas/error-codes.ts'
import { KiB } from '#schemas/limits.ts'
import { registerArchive } from './archive/archive-routes.ts'
import { requireLinkKinds } from './auth/link-kinds.ts'
import { countLogins } from './auth/people-gate.ts'
import { countTokens } from './auth/token-gate.ts'
import { registerBounceWebhooks } from './bounces/webhooks/webhook-routes.ts'
import type { ApiContext } from './context.ts'
import { DashboardPage } from './dashboard/dashboard-page.ts'
import { registerDashboard } from './dashboard/dashboard-routes.ts'
import { registerPersonData } from './deletions/person-data-routes.ts'
import { registerFeedbackAdmin } from './feedback/feedback-admin-routes.ts'
import { registerFeedback } from './feedback/feedback-routes.ts'
import { addBackgroundWork } from './http/background-work.ts'
import { trustedBy } from './http/client-address.ts'
import { registerCookies } from './http/cookies.ts'
import { registerDocs } from './http/docs.ts'
import { problemOf, replyWithError } from './http/error-reply.ts'
import { registerHealth } from './http/health.ts'
import { addPeriodicTasks } from './http/periodic-tasks.ts'
import { addListReplies } from './http/replies/list-replies.ts'
import { addRequestId, makeRequestId } from './http/request-id.ts'
import type { ApiInstance } from './http/route.ts'
import { addSecurityHeaders } from './http/security-headers.ts'
import { answerUnknownRoutes } from './http/unknown-routes.ts'
import { checkRequests } from './http/validation/check-request.ts'
import { takeJsonBodies } from './http/validation/json-body.ts'
import { LiveHub } from './live/live-hub.ts'
import { registerLive } from './live/live-routes.ts'
import { registerLlms } from './llms/llms-routes.ts'
import { registerMailbox } from './mailbox/mailbox-routes.ts'
import { registerMcp } from './mcp/mcp-routes.ts'
import { registerEmailAdmin } from './newsletters/email-admin-routes.ts'
import { registerEmail } from './newsletters/email-routes.ts'
import { registerStopPage } from './notifications/stops/stop-page.ts'
import { registerOperation } from './operation/operation-routes.ts'
import { registerOrganization } from './organization/organization-routes.ts'
import { registerPeople } from './people/people-routes.ts'
import { addPortalDirectory } from './portal/gate/portal-directory.ts'
import { registerNotificationPage } from './portal/notifications/notification-page.ts'
import { registerPortalPages } from './portal/page/page-routes.ts'
import { registerPortalAdmin } from './portal/portal-admin-routes.ts'
import { registerPortal } from './portal/portal-routes.ts'
import { registerContactPages } from './preferences/contact-pages.ts'
import { registerProjectRoutes } from './projects/project-routes.ts'
import { registerSentryCompat } from './sentry-compat/sentry-routes.ts'
import { limitStoreTime, storeMsMax } from './store-time.ts'
import { registerTracking } from './tracking/tracking-routes.ts'

const bodyBytesMax = 64 * KiB
const requestTimeoutMs = 15_000
const idleConnectionTimeoutMs = 60_000
/** A path contains a release, each of whose characters may take nine when URL-encoded. */
const pathPartCharactersMax = 2_500

export async function buildApp(ctx: ApiContext): Promise<ApiInstance> {
  const app = Fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // /metrics counts and times requests; only failures are logged.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytesMax,
    trustProxy: trustedBy(ctx.trustedProxies),
    genReqId: makeRequestId,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleConnectionTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: pathPartCharactersMax },
    clientErrorHandler: answerBrokenRequest,
    // Requests that Fastify refuses before any hook runs.
    frameworkErrors: (error, request, reply) =>
      replyWithError(error, request, reply.header('x-request-id', request.id)),
  }).withTypeProvider<ZodTypeProvider>()

  limitStoreTime(app as unknown as FastifyInstance, ctx.storeMsMax ?? storeMsMax)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(replyWithError)
  takeJsonBodies(app)
  await registerCookies(app, ctx.apiUrl)
  addListReplies(app)
  addSecurityHeaders(app)
  addRequestId(app)
  checkRequests(app)
  addPortalDirectory(app, ctx)
  const dashboard = new DashboardPage(ctx.dashboardFolder)
  answerUnknownRoutes(app, dashboard)
  countLogins(app)
  countTokens(app)
  requireLinkKinds(app)
  addBackgroundWork(app, ctx.log)

  await registerDocs(app, ctx.apiUrl)
  registerLlms(app, ctx)
  registerHealth(app, ctx)
  addPeriodicTasks(app, ctx)
  await app.register((scope) => registerProjectRoutes(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/projects/:project_id',
  })
  await app.register(async (scope) => registerSentryCompat(scope.withTypeProvider(), ctx), {
    prefix: '/api/0',
  })
  app.decorate('liveHub', new LiveHub(ctx))
  await app.register(async (scope) => registerLive(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1',
  })
  await app.register((scope) => registerFeedback(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/projects/:project_id/feedback',
  })
  await app.register((scope) => registerFeedbackAdmin(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/admin/feedback/:project_id',
  })
  await app.register((scope) => registerEmail(scope.withTypeProvider(), ctx), { prefix: '/api/v1' })
  await app.register(async (scope) => registerBounceWebhooks(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerEmailAdmin(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/admin/email',
  })
  await app.register((scope) => registerContactPages(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerArchive(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerTracking(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerPortal(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/p/:project_key',
  })
  await app.register((scope) => registerPortalAdmin(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/admin/portal/:project_id',
  })
  await app.register((scope) => registerPortalPages(scope.withTypeProvider(), ctx), {
    prefix: '/portal',
  })
  await app.register((scope) => registerPeople(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerOrganization(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/organization',
  })
  await app.register((scope) => registerOperation(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/operation',
  })
  await app.register((scope) => registerPersonData(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/admin/person-data',
  })
  await app.register((scope) => registerMcp(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerNotificationPage(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerStopPage(scope.withTypeProvider(), ctx))
  await app.register((scope) => registerDashboard(scope.withTypeProvider(), dashboard))
  const { mailboxDir } = ctx
  if (mailboxDir !== undefined) {
    await app.register(async (scope) => registerMailbox(scope.withTypeProvider(), mailboxDir), {
      prefix: '/dev/mailbox',
    })
  }
  await app.ready()
  return app
}

/** Answers bytes that are not HTTP, heads that are too large, and bodies that arrive too slowly. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(problemOf(new CodedError('validation_failed')))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nX-Request-Id: ${makeRequestId()}\r\nConnection: close\r\n\r\n${body}`,
  )
}
