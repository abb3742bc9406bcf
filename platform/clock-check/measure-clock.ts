/** Measures the clock of Postgres against the monotonic clock of this process. */
import type { Clock } from '../clock.ts'

const samples = 5
/** A sample that took longer says too little about the moment at which Postgres read its clock. */
const roundTripMsMax = 2_000

/**
 * Returns the time of Postgres minus monotonic time, in milliseconds: the median of several
 * samples, each assumed to have been taken in the middle of its round trip. Throws if Postgres is
 * away or too slow.
 */
export async function measureClock(
  clock: Pick<Clock, 'monotonicMs'>,
  readPostgresMs: () => Promise<number>,
): Promise<number> {
  const measured: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const askedMs = clock.monotonicMs()
    const postgresMs = await readPostgresMs()
    const answeredMs = clock.monotonicMs()
    if (answeredMs - askedMs > roundTripMsMax || !Number.isFinite(postgresMs)) continue
    measured.push(postgresMs - (askedMs + answeredMs) / 2)
  }
  const median = measured.sort((a, b) => a - b)[Math.floor(measured.length / 2)]
  if (median === undefined) throw new Error('Postgres answered too slowly to compare the clocks')
  return median
}
