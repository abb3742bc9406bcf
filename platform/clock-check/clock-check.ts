/** Compares the clock of a process with that of Postgres, and says once when they differ. */
import type { Logger } from '../logger.ts'
import type { PeriodicTaskOptions } from '../periodic.ts'
import type { Pool } from '../postgres.ts'
import type { CorrectedClock } from './corrected-clock.ts'
import { measureClock } from './measure-clock.ts'

const intervalMs = 10_000

export interface ClockCheckOptions {
  readonly clock: CorrectedClock
  readonly pool: Pick<Pool, 'query'>
  readonly log: Logger
}

export class ClockCheck {
  readonly #options: ClockCheckOptions
  #isReported = false

  constructor(options: ClockCheckOptions) {
    this.#options = options
  }

  /** One measurement. Rejects while Postgres is away; the last reference is kept then. */
  async run(): Promise<void> {
    const { clock, pool } = this.#options
    try {
      clock.adjust(await measureClock(clock, () => readPostgresMs(pool)))
    } finally {
      this.#report()
    }
  }

  get task(): PeriodicTaskOptions {
    return {
      name: 'clock_check',
      intervalMs,
      run: () => this.run(),
      // An outage of Postgres has its own log lines.
      failure: {
        code: 'clock_check_failed',
        text: 'Comparing the clock with Postgres failed',
        level: 'debug',
      },
    }
  }

  #report(): void {
    const { clock, log } = this.#options
    const { isCorrecting } = clock
    if (isCorrecting === this.#isReported) return
    this.#isReported = isCorrecting
    const offsetSeconds = Math.round(clock.offsetMs / 1000)
    if (isCorrecting) {
      const direction = offsetSeconds > 0 ? 'ahead of' : 'behind'
      log.warn(
        { code: 'clock_off', offsetSeconds },
        `The clock of this machine is ${Math.abs(offsetSeconds)} s ${direction} the clock of Postgres; using the time of Postgres until they agree. Set the clock of the machine, for example with a time server.`,
      )
    } else {
      log.info({ code: 'clock_agrees', offsetSeconds }, 'The clock agrees with Postgres again.')
    }
  }
}

async function readPostgresMs(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  return rows[0]?.ms ?? Number.NaN
}
