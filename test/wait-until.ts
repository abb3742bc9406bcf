/** Waits for something that happens in another process: asks again and again until a deadline, which is a failure. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

const askEveryMs = 50
const waitMsMax = 20_000

/** Resolves with the first answer that is neither undefined nor false. An error counts as "not yet". */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  msMax = waitMsMax,
): Promise<T> {
  const deadlineMs = systemClock.monotonicMs() + msMax
  let lastError: unknown
  while (systemClock.monotonicMs() < deadlineMs) {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await sleep(askEveryMs)
  }
  throw new Error(`waited ${msMax} ms in vain for ${what}`, { cause: lastError })
}
