/** `X-Request-Id` on every reply, so that a person can name the request that failed and its line in the log is found. */
import { v7 as uuidv7 } from 'uuid'
import type { ApiInstance } from './route.ts'

/** Ids are ours alone: one that a client chose could stand in the log of another's request. */
export function makeRequestId(): string {
  return uuidv7()
}

export function addRequestId(app: ApiInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
}
