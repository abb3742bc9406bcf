/** Takes requests of the API from the bus. Each goes to one worker process of the queue group. */
import type { Logger } from '#platform/logger.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { workerQueueGroup, workerRequestSubject } from '#schemas/bus/worker-request.ts'
import type { RequestPool } from './request-pool.ts'

export interface AnsweredRequests {
  /** Takes no more requests; those that wait in this process are answered by nobody. */
  stop(): void
}

export function answerRequests(
  nats: NatsConnection,
  pool: Pick<RequestPool, 'run'>,
  log: Logger,
): AnsweredRequests {
  const subscription = nats.subscribe(workerRequestSubject, {
    queue: workerQueueGroup,
    callback: (error, message) => {
      if (error) {
        log.warn(
          { code: 'requests_refused', err: error },
          `This worker cannot take requests of the API: the user of NATS_URL needs the subject ${workerRequestSubject}.`,
        )
        return
      }
      void pool
        .run(message.data)
        .then((reply) => {
          if (reply !== undefined) message.respond(reply)
        })
        .catch((error: unknown) => {
          log.warn({ code: 'request_not_answered', err: error }, 'A reply to the API was not sent.')
        })
    },
  })
  return { stop: () => subscription.unsubscribe() }
}
