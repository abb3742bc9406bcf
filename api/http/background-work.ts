/**
 * Work that starts after the reply was sent, so that its duration tells the client nothing. Closing
 * the API waits for it.
 */
import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Logger } from '#platform/logger.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiInstance } from './route.ts'

/** Pieces of work that wait or run. */
const worksMax = 200

export class BackgroundWork {
  readonly #log: Logger
  readonly #running = new Set<Promise<void>>()
  #waitingCount = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Throws `unavailable` when the queue is full. `work` runs once, even if the client disconnects.
   */
  after(reply: FastifyReply, name: string, work: () => Promise<void>): void {
    if (worksMax <= this.#running.size + this.#waitingCount) throw new CodedError('unavailable')
    this.#waitingCount += 1
    finished(reply.raw, () => {
      this.#waitingCount -= 1
      const running = work()
        .catch((error: unknown) => {
          this.#log.warn(
            { code: `${name}_failed`, err: error },
            'Background work after a reply failed; it is not retried.',
          )
        })
        .finally(() => this.#running.delete(running))
      this.#running.add(running)
    })
  }

  async settled(): Promise<void> {
    while (0 < this.#running.size) await Promise.all(this.#running)
  }
}

/** Call once for the whole API. */
export function addBackgroundWork(app: ApiInstance, log: Logger): void {
  const background = new BackgroundWork(log)
  app.decorate('backgroundWork', background)
  app.addHook('onClose', () => background.settled())
}

export function backgroundOf(reply: FastifyReply): BackgroundWork {
  return reply.server.getDecorator<BackgroundWork>('backgroundWork')
}
