/**
 * What ingest logs about the bus, its write-ahead log and quota. Repeated trouble is one line every
 * few seconds.
 */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { DeliveryOptions, IngestOptions } from './create-ingest.ts'
import type { NatsTransportEvents } from './io/nats-transport.ts'
import { logNotice } from './log/log-notice.ts'
import { RareLog } from './rare-log.ts'

/** A full stream refuses every frame again and again. */
const repeatedEveryMs = 5_000

interface Reports {
  readonly intake: Required<Pick<IngestOptions, 'onTrouble' | 'onError' | 'onQuotaTurn'>>
  readonly delivery: Pick<DeliveryOptions, 'onNotice' | 'onError'>
  readonly transport: Pick<NatsTransportEvents, 'onDisconnect' | 'onReconnect'>
}

export function reportTrouble(log: Logger): Reports {
  const refusals = new RareLog(log, systemClock, repeatedEveryMs)
  const logErrors = new RareLog(log, systemClock, repeatedEveryMs)
  return {
    intake: {
      onTrouble: (answer) =>
        refusals.warn({ code: 'frame_refused', answer }, 'The bus refused frames; retrying.'),
      onError: (error) => log.error({ code: 'request_failed', err: error }, 'A request failed.'),
      onQuotaTurn: (isAway, error) => {
        if (isAway) {
          log.warn(
            { code: 'quota_away', err: error },
            'Postgres does not answer quota requests; events are charged to the allowance for outages.',
          )
        } else log.info({ code: 'quota_back' }, 'Postgres grants quota leases again.')
      },
    },
    delivery: {
      onNotice: (notice) => logNotice(log, notice),
      onError: (error) =>
        logErrors.warn(
          { code: 'log_trouble', err: error },
          'Writing the log, or reading which of its frames are committed, failed; retrying.',
        ),
    },
    transport: {
      onReconnect: () => log.info({ code: 'nats_reconnected' }, 'The connection to NATS is back.'),
      onDisconnect: () =>
        log.warn({ code: 'nats_lost' }, 'The connection to NATS was lost; frames wait for it.'),
    },
  }
}
