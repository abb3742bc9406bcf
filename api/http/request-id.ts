/** `X-Request-Id` on every reply, so that a person can name the request that failed and its line in the log is found. */
import { randomUUID } from 'node:crypto'
import type { ApiInstance } from './route.ts'

/** Ids are ours alone: one that a client chose could stand in the log of another's request. */
export function makeRequestId(): string {
  return randomUUID()
}

export function addRequestId(app: ApiInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
