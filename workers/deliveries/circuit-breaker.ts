/**
 * The circuit breaker of a target.
 *
 *   closed ──failures in a row──▶ open ──its time is over──▶ half-open
 *     ▲                            ▲                            │
 *     └──────── a delivery succeeds ┼─────── one attempt ────────┘
 *                                   └──────── it fails ──────────
 *
 * While it is open, nothing is sent. Deliveries of a target are sent one after the other, so the
 * first attempt after its time is the only one until its result is stored.
 */
const minuteMs = 60_000
/** Failures in a row after which the breaker opens. */
export const failuresMax = 5
const openMsMin = minuteMs
const openMsMax = 60 * minuteMs

/** Milliseconds that the breaker is open after so many failures in a row; 0 while it is closed. */
export function openMsAfter(failures: number): number {
  if (failures < failuresMax) return 0
  return Math.min(openMsMin * 2 ** Math.min(failures - failuresMax, 10), openMsMax)
}
