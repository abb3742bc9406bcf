import { quotaRetryAfterSecondsMax } from '#schemas/limits.ts'

/** Whole seconds until the period ends, capped so that a raised limit takes effect soon. */
export function retryAfterSeconds(nowMs: number, endMs: number): number {
  const seconds = Math.ceil((endMs - nowMs) / 1000)
  return Math.min(Math.max(1, seconds), quotaRetryAfterSecondsMax)
}
