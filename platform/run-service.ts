/** Life cycle of a service: start, wait for a signal, drain, exit. */
import closeWithGrace from 'close-with-grace'
import type { Logger } from './logger.ts'

export interface Service {
  /** Finishes the work in progress and closes every connection. */
  readonly drain: (manner: DrainManner) => Promise<void>
}

export interface DrainManner {
  /**
   * True after SIGTERM, when another process may have taken over: clients with an open connection
   * are given time for one more request, whose reply closes it. False after Ctrl-C, when everything
   * ends.
   */
  readonly lingers: boolean
}

export interface ServiceOptions {
  /** A drain that takes longer is cut off, and the process exits 1. */
  readonly drainMsMax?: number
}

const drainMsMaxDefault = 25_000

/**
 * Starts the service. SIGTERM or SIGINT drains it and exits 0; a second signal exits 1 at once. A
 * signal during the start takes effect after it, because a service may accept requests before its
 * start has ended. An uncaught error is logged, drains what can be drained and exits 1, so that the
 * supervisor restarts the process. A failed start prints one sentence and exits 1.
 */
export async function runService(
  name: string,
  log: Logger,
  start: () => Promise<Service>,
  { drainMsMax = drainMsMaxDefault }: ServiceOptions = {},
): Promise<void> {
  let service: Service | undefined
  let starting: Promise<void> | undefined
  const onTimeout = () => {
    log.error(
      { code: 'drain_cut', drainMsMax },
      `${name} did not drain within ${drainMsMax / 1000} s; exiting.`,
    )
  }
  closeWithGrace({ delay: drainMsMax, logger: false, onTimeout }, async ({ signal, err }) => {
    if (err) log.fatal({ code: 'crashed', err }, 'Uncaught error; the process is ending.')
    else log.info({ code: 'draining', signal }, `${name} is draining.`)
    // After an error the start may never end.
    if (!err) await starting
    try {
      await service?.drain({ lingers: signal === 'SIGTERM' })
    } catch (error) {
      log.error({ code: 'drain_failed', err: error }, `${name} failed while draining.`)
      throw error
    }
    log.info({ code: 'stopped' }, `${name} has stopped.`)
  })
  // Only now, so that a signal during the start meets its listener.
  starting = start().then(
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
  await starting
}
