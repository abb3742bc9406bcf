/**
 * When a condition with a threshold holds, and in which steps it is counted. The commits of workers
 * and the preview of the API decide by it.
 */

/** Compared with the window before, fewer events or users than this are never too many. */
export const comparedCountMin = 10
/** Sums of shares of steps are not exact. */
const rounding = 1e-6

export interface Threshold {
  /** A number; percent of the window before, if it is compared with that. */
  readonly threshold: number
  readonly compared_to: 'absolute' | 'previous_window'
}

/** @param now events or users of the window. @param before those of the window before. */
export function isThresholdPassed(
  { threshold, compared_to }: Threshold,
  { now, before }: { readonly now: number; readonly before: number },
): boolean {
  if (compared_to === 'absolute') return now > threshold + rounding
  // After a window without any, one is as good as none.
  return comparedCountMin <= now && now > Math.max(1, before) * (1 + threshold / 100) + rounding
}

/**
 * A window is counted in steps of at least a minute, at most sixty to a window. The step in which
 * it begins counts in proportion.
 */
const stepsPerWindow = 60
const stepSecondsMin = 60

export function stepSecondsOf(windowSeconds: number): number {
  const minutes = Math.ceil(windowSeconds / stepsPerWindow / stepSecondsMin)
  return Math.max(1, minutes) * stepSecondsMin
}
