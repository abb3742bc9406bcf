/**
 * How the portal's gate knows reads of the hosted page, which were counted as page views already, from those of other clients: a random
 * value of this process that never leaves it.
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
