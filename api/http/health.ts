/** `GET /health`, `GET /health/ready`, and the metrics of the operations port. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { createRegistry, histogram } from '#platform/metrics/create-metric.ts'
import { apiMetrics } from '#schemas/metrics/api-metrics.ts'
import type { ApiContext } from '../context.ts'
import { countRequest } from '../rate-limits/count-request.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import { clientAddress } from './client-address.ts'

/** Health checks of one client address, over both paths (portal-feedback-api: Limits). */
const healthCallsPerMinuteMax = 300
const addressesMax = 10_000

/** The metrics of this process. Other parts register theirs here. */
export function metricsOf(app: FastifyInstance): Registry {
  return app.getDecorator<Registry>('metrics')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply lasts as long as its client listens, so its duration is not measured. */
    isStream?: true
  }
}

export function registerHealth(app: FastifyInstance, ctx: ApiContext): void {
  const registry = createRegistry()
  app.decorate('metrics', registry)
  const durations = histogram(registry, apiMetrics.requestDuration)
  app.addHook('onResponse', (request, reply, done) => {
    if (request.routeOptions.config.isStream === true) return done()
    const route = request.routeOptions.url ?? 'unknown'
    durations.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
    done()
  })

  const calls = new SlidingWindow({ windowMs: 60_000, keysMax: addressesMax })
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    countRequest(calls, reply, {
      key: clientAddress(request),
      hitsMax: healthCallsPerMinuteMax,
      nowMs: ctx.clock.monotonicMs(),
      message: `Too many requests: one address has ${healthCallsPerMinuteMax} health checks a minute.`,
    })
  }

  app.get('/health', { schema: { hide: true }, onRequest }, async () => ({ status: 'ok' }))

  app.get('/health/ready', { schema: { hide: true }, onRequest }, async (_request, reply) => {
    const { report } = ctx.readiness
    return reply.code(report.status === 'ready' ? 200 : 503).send(report)
  })
}
