/**
 * Days whose sessions are summed in the table `session_days` of ClickHouse, and the functions of
 * its columns, which writers and readers must write alike.
 */

export const daySeconds = 86_400
export const hourSeconds = 3_600

/**
 * A day is summed this long after its end. Sessions are accepted until five days after their start,
 * and workers of an earlier version, which do not report later ones, may be one day behind.
 */
export const closedAfterSeconds = 6 * daySeconds

/** Exact up to about 1,000 users of a time range, then with a standard error of 0.6 percent. */
export const distinctUsers = { name: 'uniqCombined64', arguments: '(15)' } as const
/** Within 1 percent of a duration that occurred. */
export const durationQuantiles = { name: 'quantilesDD', arguments: '(0.01, 0.5, 0.95)' } as const
