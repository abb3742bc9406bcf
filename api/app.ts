/** The whole API over its context: every route group by name, one place for errors, bounds on all requests. */
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod'
import { KiB } from '#schemas/limits.ts'
import type { ApiContext } from './context.ts'
import { registerDocs } from './http/docs.ts'
import { replyWithError } from './http/error-reply.ts'
import { registerHealth } from './http/health.ts'
import type { ApiInstance } from './http/route.ts'
import { addSecurityHeaders } from './http/security-headers.ts'
import { answerUnknownRoutes } from './http/unknown-routes.ts'
import { registerMailbox } from './mailbox/mailbox-routes.ts'
import { registerProjectRoutes } from './project-routes.ts'

const bodyBytesMax = 64 * KiB
const requestTimeoutMs = 15_000
const idleConnectionTimeoutMs = 60_000
/** A release stands in a path, and each of its characters may take nine there. */
const pathPartCharactersMax = 2_500

export async function buildApp(ctx: ApiContext): Promise<ApiInstance> {
  const app = Fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    // Requests are counted and timed in /metrics; only what went wrong is worth a line.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleConnectionTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: pathPartCharactersMax },
    frameworkErrors: (error, request, reply) => replyWithError(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(replyWithError)
  addSecurityHeaders(app)
  answerUnknownRoutes(app)

  await registerDocs(app, ctx.apiUrl)
  registerHealth(app, ctx)
  await app.register((scope) => registerProjectRoutes(scope.withTypeProvider(), ctx), {
    prefix: '/api/v1/projects/:project_id',
  })
  const { mailboxDir } = ctx
  if (mailboxDir !== undefined) {
    await app.register(async (scope) => registerMailbox(scope.withTypeProvider(), mailboxDir), {
      prefix: '/dev/mailbox',
    })
  }
  await app.ready()
  return app
}
