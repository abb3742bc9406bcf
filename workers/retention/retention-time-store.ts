/** The time from which ages count. */
import type { Clock } from '#platform/clock.ts'
import { CorrectedClock } from '#platform/clock-check/corrected-clock.ts'
import type { Pool } from '#platform/postgres.ts'

/** Rows are deleted only if the clocks of the machine and of Postgres agree this far. */
const offsetMsMax = 3_600_000

/**
 * The time of this machine. Throws if Postgres has another one: a clock that is a year ahead would
 * delete a year of rows, and nothing brings them back. Waiting costs only disk space.
 * A clock that is corrected by Postgres would always agree with it, so it is refused.
 */
export async function retentionTime(pg: Pool, machineClock: Clock): Promise<Date> {
  if (machineClock instanceof CorrectedClock) {
    throw new TypeError('retention needs the clock of the machine, not a corrected one')
  }
  const { rows } = await pg.query<{ ms: number }>(
    `select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  )
  const nowMs = machineClock.nowMs()
  const offsetSeconds = Math.round((nowMs - (rows[0]?.ms ?? 0)) / 1000)
  if (Math.abs(offsetSeconds) * 1000 > offsetMsMax) {
    throw new Error(
      `nothing is deleted, because the clocks of this machine and of Postgres differ by ${offsetSeconds} s; correct the wrong one`,
    )
  }
  return new Date(nowMs)
}
