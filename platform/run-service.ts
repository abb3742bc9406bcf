/** The life of a process: start, wait for a signal, drain, exit. The same for every service. */
import closeWithGrace from 'close-with-grace'
import type { Logger } from './logger.ts'

export interface Service {
  /** Finishes what is in hand and closes every connection. */
  readonly drain: () => Promise<void>
}

/** A drain that takes longer is cut off. */
const drainTimeoutMs = 25_000

/**
 * Starts the service; SIGTERM or SIGINT drains it and exits 0, a second one exits 1 at once. An error
 * nobody caught is logged, drains what can be drained and exits 1, so that the supervisor starts
 * the process anew. A start that fails prints its one sentence.
 */
export async function runService(
  name: string,
  log: Logger,
  start: () => Promise<Service>,
): Promise<void> {
  let service: Service | undefined
  closeWithGrace({ delay: drainTimeoutMs, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ code: 'crashed', err }, 'An error that nobody caught ends the process.')
    else log.info({ code: 'draining', signal }, `${name} is draining.`)
    await service?.drain()
    log.info({ code: 'stopped' }, `${name} has stopped.`)
  })
  try {
    service = await start()
  } catch (error) {
    log.fatal({ code: 'start_failed', err: error }, `${name} could not start.`)
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
  log.info({ code: 'started' }, `${name} is up.`)
}
