const firstDelayMs = 250
const delayMsMax = 10_000
/**
 * A process that was up this long counts as healthy; its next crash starts from the first delay.
 */
const healthyAfterMs = 60_000

export interface BackOff {
  readonly delayMs: number
}

export const noBackOff: BackOff = { delayMs: 0 }

/** The delay before the next start of a process that ended after `uptimeMs`. */
export function nextBackOff(previous: BackOff, uptimeMs: number): BackOff {
  if (previous.delayMs === 0 || uptimeMs >= healthyAfterMs) return { delayMs: firstDelayMs }
  return { delayMs: Math.min(previous.delayMs * 2, delayMsMax) }
}
