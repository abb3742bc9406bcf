/** From where on a metric is a fault: for the alerts, the live view and the doctor. */
export const faultLimits = {
  lagSeconds: 60,
  stuckSeconds: 60,
  oldestEmailSeconds: 900,
  clockOffsetSeconds: 60,
  /** Mean delay of the event loop between two scrapes; a free process has about 0.01. */
  eventLoopLagSeconds: 0.2,
  backupAgeSeconds: 36 * 3600,
  /** Time until a disk is full. */
  diskFullSeconds: 24 * 3600,
  diskFreeRatio: 0.05,
  /** Share of its maximum bytes that the write-ahead log or a stream uses. */
  logFullRatio: 0.8,
  streamFullRatio: 0.8,
} as const
