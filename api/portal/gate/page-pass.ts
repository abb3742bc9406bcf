/**
 * Marks requests of the hosted page to the portal API, which were rate limited as page views
 * already. The mark is a random value that never leaves this process.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ApiInstance } from '../../http/route.ts'

export const pagePassHeader = 'x-sluice-page-pass'
const passBytes = 32

export function addPagePass(app: ApiInstance): void {
  app.decorate('pagePass', randomBytes(passBytes).toString('base64url'))
}

export function pagePassOf(app: ApiInstance): string {
  return app.getDecorator<string>('pagePass')
}

export function hasPagePass(app: ApiInstance, request: FastifyRequest): boolean {
  const sent = request.headers[pagePassHeader]
  if (typeof sent !== 'string') return false
  const [got, want] = [Buffer.from(sent), Buffer.from(pagePassOf(app))]
  return got.length === want.length && timingSafeEqual(got, want)
}
