import { quotaRetryAfterSecondsMax } from '#schemas/limits.ts'

/** Whole seconds until the limit's span ends; less when that is far, so that a raised limit is felt soon. */
export function retryAfterSeconds(nowMs: number, endMs: number): number {
  const seconds = Math.ceil((endMs - nowMs) / 1000)
  return Math.min(Math.max(1, seconds), quotaRetryAfterSecondsMax)
}
