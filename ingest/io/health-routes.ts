/**
 * Health and readiness checks, at our own paths and at those of Sentry Relay. They are not limited,
 * and not counted as replies to clients.
 */
import type { TemplatedApp } from 'uWebSockets.js'
import type { ReadinessReport } from '#platform/readiness/readiness.ts'
import type { IngestContext } from '../context.ts'
import { plainReply } from '../http/replies.ts'
import { answerNow } from './uws-responder.ts'

export interface HealthOptions {
  readonly ctx: IngestContext
  readonly readiness: { readonly report: ReadinessReport }
}

const ok = plainReply(200, 'application/json', '{"status":"ok"}')
const healthy = plainReply(200, 'application/json', '{"is_healthy":true}')
const unhealthy = plainReply(503, 'application/json', '{"is_healthy":false}')

export function serveHealth(app: TemplatedApp, { ctx, readiness }: HealthOptions): void {
  app.get('/health', (res, req) => answerNow(res, req, { ctx }, ok))
  app.get('/health/ready', (res, req) => {
    const { report } = readiness
    const status = report.status === 'ready' ? 200 : 503
    const reply = plainReply(status, 'application/json', JSON.stringify(report))
    answerNow(res, req, { ctx }, reply)
  })
  // Health checks at the paths where operators of Sentry Relay expect them.
  for (const slash of ['', '/']) {
    app.get(`/api/relay/healthcheck/live${slash}`, (res, req) =>
      answerNow(res, req, { ctx }, healthy),
    )
    app.get(`/api/relay/healthcheck/ready${slash}`, (res, req) => {
      answerNow(res, req, { ctx }, readiness.report.status === 'ready' ? healthy : unhealthy)
    })
  }
}
