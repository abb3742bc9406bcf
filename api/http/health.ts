/** `GET /health` and `GET /health/ready`, as every process has them, and what the operations port serves as metrics. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { answersInTime } from '#platform/http/answers-in-time.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { rateHeaders } from '../rate-limits/rate-window-store.ts'
import { SlidingWindow } from '../rate-limits/sliding-window.ts'
import { clientAddress } from './client-address.ts'

/** Of one address, both paths together (portal-feedback-api: Limits). */
const healthCallsPerMinuteMax = 300
const addressesMax = 10_000

/** What this process counts; parts that are registered later add theirs. */
export function metricsOf(app: FastifyInstance): Registry {
  return app.getDecorator<Registry>('metrics')
}

export function registerHealth(app: FastifyInstance, ctx: ApiContext): void {
  const registry = new Registry()
  app.decorate('metrics', registry)
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'api_request_duration_seconds',
    help: 'Time from the request until its reply was sent.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
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
    const hit = calls.hit(clientAddress(request), healthCallsPerMinuteMax, ctx.clock.monotonicMs())
    reply.headers(rateHeaders(hit, hit.isFull ? hit.resetSeconds : undefined))
    if (hit.isFull) {
      throw new CodedError('rate_limited', {
        message: `Too many requests: one address has ${healthCallsPerMinuteMax} health checks a minute.`,
      })
    }
  }

  app.get('/health', { schema: { hide: true }, onRequest }, async () => ({ status: 'ok' }))

  app.get('/health/ready', { schema: { hide: true }, onRequest }, async (request, reply) => {
    const missing = await missingStores(ctx)
    for (const store of missing) {
      request.log.warn({ code: 'not_ready', store }, 'A store does not answer.')
    }
    if (missing.length === 0) return { status: 'ok' }
    return reply.code(503).send({ status: 'unavailable', missing })
  })
}

/** Stores that do not answer now. */
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
