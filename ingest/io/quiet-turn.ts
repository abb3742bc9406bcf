import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

/** A turn of the event loop that took less had nothing to do. */
const quietMs = 0.1

/**
 * Resolves right after a turn of the event loop that found neither a connection to accept nor
 * anything else, or when the time is up.
 */
export async function quietTurn(msMax: number): Promise<void> {
  // From here to the end of this turn, nothing is looked for.
  await nextTurn()
  let before = systemClock.monotonicMs()
  const deadlineMs = before + msMax
  while (before < deadlineMs) {
    await nextTurn()
    const now = systemClock.monotonicMs()
    if (now - before < quietMs) return
    before = now
  }
}
