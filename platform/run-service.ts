/** The life of a service: start, wait for a signal, drain, exit. */
import closeWithGrace from 'close-with-grace'
import type { Logger } from './logger.ts'

export interface Service {
  /** Finishes what is in hand and closes every connection. */
  readonly drain: (manner: DrainManner) => Promise<void>
}

export interface DrainManner {
  /**
   * True after SIGTERM, when another process may have taken over: clients with an open connection are given
   * time for one more request, whose reply closes it. False after Ctrl-C, when everything ends.
   */
  readonly lingers: boolean
}

export interface ServiceOptions {
  /** A drain that takes longer is cut off, and the process exits 1. */
  readonly drainMsMax?: number
}

const drainMsMaxDefault = 25_000

/**
 * Starts the service; SIGTERM or SIGINT drains it and exits 0, a second one exits 1 at once. A signal
 * while it starts waits for the start, because a service may take requests before its start is over.
 * An error nobody caught is logged, drains what can be drained and exits 1, so that the supervisor
 * starts the process anew. A start that fails prints its one sentence and exits 1.
 */
export async function runService(
  name: string,
  log: Logger,
  start: () => Promise<Service>,
  { drainMsMax = drainMsMaxDefault }: ServiceOptions = {},
): Promise<void> {
  let service: Service | undefined
  const starting = start().then(
    (started) => {
      service = started
      log.info({ code: 'started' }, `${name} is up.`)
    },
    (error: unknown) => {
      log.fatal({ code: 'start_failed', err: error }, `${name} could not start.`)
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
      process.exit(1)
    },
  )
  const onTimeout = () => {
    log.error({ code: 'drain_cut', drainMsMax }, `${name} did not end in time and is cut off.`)
  }
  closeWithGrace({ delay: drainMsMax, logger: false, onTimeout }, async ({ signal, err }) => {
    if (err) log.fatal({ code: 'crashed', err }, 'An error that nobody caught ends the process.')
    else log.info({ code: 'draining', signal }, `${name} is draining.`)
    // A start in which something broke may never be over.
    if (!err) await starting
    try {
      await service?.drain({ lingers: signal === 'SIGTERM' })
    } catch (error) {
      log.error({ code: 'drain_failed', err: error }, `${name} could not end in order.`)
      throw error
    }
    log.info({ code: 'stopped' }, `${name} has stopped.`)
  })
  await starting
}
