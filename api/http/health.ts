/** `GET /health`, `GET /health/ready`, and the metrics of the operations port. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { answersInTime } from '#platform/http/answers-in-time.ts'
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

export function registerHealth(app: FastifyInstance, ctx: ApiContext): void {
  const registry = createRegistry()
  app.decorate('metrics', registry)
  const durations = histogram(registry, apiMetrics.requestDuration)
  app.addHook('onResponse', (request, reply, done) => {
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

  app.get('/health/ready', { schema: { hide: true }, onRequest }, async (request, reply) => {
    const missing = await missingStores(ctx)
    for (const store of missing) {
      request.log.warn(
        { code: 'not_ready', store },
        'The store does not respond; the process is not ready.',
      )
    }
    if (missing.length === 0) return { status: 'ok' }
    return reply.code(503).send({ status: 'unavailable', missing })
  })
}

/** The stores that do not respond. */
export async function missingStores(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse'>,
): Promise<('postgres' | 'clickhouse')[]> {
  const stores = ['postgres', 'clickhouse'] as const
  const [postgres, clickhouse] = await Promise.all([
    answersInTime(ctx.pg.query('select 1')),
    answersInTime(ctx.clickhouse.select('select 1', {})),
  ])
  const ready = { postgres, clickhouse }
  return stores.filter((name) => !ready[name])
}
