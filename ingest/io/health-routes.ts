/** Health and readiness checks, at our own paths and at those of Sentry Relay. */
import type { TemplatedApp } from 'uWebSockets.js'
import type { IngestContext } from '../context.ts'
import { plainReply } from '../http/replies.ts'
import type { IngestMetrics } from '../metrics.ts'
import { answerNow } from './uws-responder.ts'

export interface HealthOptions {
  readonly ctx: IngestContext
  readonly metrics: IngestMetrics
  /** Dependencies that are not ready; empty when events can be accepted. */
  notReady(): readonly string[]
}

const ok = plainReply(200, 'application/json', '{"status":"ok"}')
const healthy = plainReply(200, 'application/json', '{"is_healthy":true}')
const unhealthy = plainReply(503, 'application/json', '{"is_healthy":false}')

export function serveHealth(app: TemplatedApp, options: HealthOptions): void {
  app.get('/health', (res, req) => answerNow(res, req, options, ok))
  app.get('/health/ready', (res, req) => {
    const missing = options.notReady()
    const body = JSON.stringify({ status: 'not ready', missing })
    const reply = missing.length === 0 ? ok : plainReply(503, 'application/json', body)
    answerNow(res, req, options, reply)
  })
  // Health checks at the paths where operators of Sentry Relay expect them.
  for (const slash of ['', '/']) {
    app.get(`/api/relay/healthcheck/live${slash}`, (res, req) =>
      answerNow(res, req, options, healthy),
    )
    app.get(`/api/relay/healthcheck/ready${slash}`, (res, req) => {
      answerNow(res, req, options, options.notReady().length === 0 ? healthy : unhealthy)
    })
  }
}
