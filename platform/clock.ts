import { setTimeout as sleep } from 'node:timers/promises'
import { clockShiftMs } from './failpoint.ts'

/**
 * The only code that reads the system time. Everything else gets a `Clock`, which tests can
 * control.
 */
export interface Clock {
  /** Wall clock in milliseconds since the epoch, for stored and displayed times. */
  nowMs(): number
  /** Monotonic milliseconds from an arbitrary start, for deadlines and durations. */
  monotonicMs(): number
}

/** The clocks of the machine. Stored times use a `CorrectedClock` around it. */
export const systemClock: Clock = {
  nowMs: () => Date.now() + clockShiftMs(),
  monotonicMs: () => performance.now(),
}

/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
