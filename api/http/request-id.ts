/** Sets `X-Request-Id` on every reply, so that a failed request can be found in the log. */
import { randomUUID } from 'node:crypto'
import type { ApiInstance } from './route.ts'

/** A client cannot choose the id: it could repeat the id of another request. */
export function makeRequestId(): string {
  return randomUUID()
}

export function addRequestId(app: ApiInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
