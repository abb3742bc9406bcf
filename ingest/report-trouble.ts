/**
 * Logs problems of ingest with the broker, its write-ahead log and quota. Repeated problems are one
 * line every few seconds.
 */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import type { DeliveryOptions, IngestOptions } from './create-ingest.ts'
import { RareLog } from './rare-log.ts'
import { logWalNotification } from './wal/wal-notification.ts'

/** A full stream refuses every frame on each attempt. */
const repeatedEveryMs = 5_000

interface Reports {
  readonly intake: Required<Pick<IngestOptions, 'onTrouble' | 'onError' | 'onQuotaTurn'>>
  readonly objects: { onTrouble(error: unknown): void }
  readonly delivery: Pick<DeliveryOptions, 'onNotification' | 'onError'>
}

export function reportTrouble(log: Logger): Reports {
  const refusals = new RareLog(log, systemClock, repeatedEveryMs)
  const walErrors = new RareLog(log, systemClock, repeatedEveryMs)
  const objectErrors = new RareLog(log, systemClock, repeatedEveryMs)
  return {
    intake: {
      onTrouble: (answer) =>
        refusals.warn(
          { code: 'frame_refused', answer, ...mayFollowOutage },
          'The broker refused frames; they will be resent.',
        ),
      onError: (error) => log.error({ code: 'request_failed', err: error }, 'A request failed.'),
      onQuotaTurn: (isAway, error) => {
        if (isAway) {
          log.warn(
            { code: 'quota_away', err: error, ...mayFollowOutage },
            'Postgres does not answer quota requests; events are charged to the allowance for outages.',
          )
        } else {
          log.info(
            { code: 'quota_back', ...mayFollowOutage },
            'Postgres grants quota leases again.',
          )
        }
      },
    },
    objects: {
      onTrouble: (error) =>
        objectErrors.warn(
          { code: 'objects_away', err: error },
          'The object store did not take a file; events are accepted without their files.',
        ),
    },
    delivery: {
      onNotification: (notification) => logWalNotification(log, notification),
      onError: (error) =>
        walErrors.warn(
          { code: 'log_trouble', err: error },
          'Maintenance of the write-ahead log failed; retrying.',
        ),
    },
  }
}
