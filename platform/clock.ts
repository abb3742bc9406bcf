import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The only reader of the time. Everything that needs it gets a `Clock`, so that tests can hold it
 * still.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for what is stored and shown. */
  nowMs(): number
  /** Monotonic, milliseconds from an arbitrary start: for deadlines and durations. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
