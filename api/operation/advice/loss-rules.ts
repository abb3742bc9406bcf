/** Events are being lost, or soon will be. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import type { Snapshot } from '../processes/snapshot.ts'
import { bytesText, countText, percentText } from '../text/format-numbers.ts'
import {
  type AdviceRule,
  allSilent,
  isDisk,
  missing,
  reasonFor,
  silentOnes,
  usedRatioOf,
  whyOf,
  worst,
} from './advice-rule.ts'

export const lossRules: readonly AdviceRule[] = [
  {
    name: 'nothing_answers',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      const { processes } = snapshot
      if (processes.length < 2 || silentOnes(snapshot).length < processes.length) return undefined
      return `No process answers (${whyOf(processes)}): start Sluice, or check the metrics URLs.`
    },
  },
  {
    name: 'ingest_down',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      const lost = allSilent(snapshot, 'ingest')
      return lost && `No ingest process answers (${whyOf(lost)}), so events are lost: start ingest.`
    },
  },
  {
    name: 'log_write_errors',
    severity: 'problem',
    page: 'runbooks/EventsLostOrResent',
    find: (snapshot) => {
      const fails = (snapshot.ingest?.logErrorsPerMinute ?? 0) > 0
      const processes = missing(snapshot, 'log') ?? (fails ? 'ingest' : undefined)
      if (processes === undefined) return undefined
      const disk = snapshot.disks.find(({ folder }) => folder === 'ingest_log')
      const why = [reasonFor(snapshot, 'log'), disk && `${bytesText(disk.freeBytes)} free`]
      const known = why.filter((one) => one !== undefined).join('; ')
      const effect =
        (snapshot.ingest?.brokerAway ?? 0) > 0
          ? 'and NATS is away, so events are refused with 503 and lost'
          : 'so only NATS holds new events'
      return `${processes} cannot write the write-ahead log${known && ` (${known})`}, ${effect}: free space on its disk (INGEST_LOG_DIR, or SLUICE_DATA_DIR). Ingest resumes by itself.`
    },
  },
  {
    name: 'events_refused',
    severity: 'problem',
    page: 'runbooks/RequestsRefused',
    find: (snapshot) => {
      const refused = snapshot.ingest?.requestsPerSecond?.['5xx'] ?? 0
      if (refused <= 0) return undefined
      return `Ingest answers ${countText(refused)} requests/s with 5xx, and SDKs do not resend them: ${remedyFor(snapshot)}`
    },
  },
  {
    name: 'disk_nearly_full',
    severity: 'problem',
    page: 'runbooks/DiskFullSoon',
    find: (snapshot) => {
      const disks = snapshot.disks.filter(isDisk)
      const disk = worst(disks, usedRatioOf, 1 - faultLimits.diskFreeRatio)
      if (disk === undefined) return undefined
      return `The disk of ${disk.folder} (seen by ${disk.process}) has ${bytesText(disk.freeBytes)} of ${bytesText(disk.sizeBytes)} left: free space or enlarge it now.`
    },
  },
  {
    name: 'log_nearly_full',
    severity: 'problem',
    page: 'runbooks/WalNearLimit',
    find: ({ ingest }) => {
      if (ingest === null || ingest.logLimitBytes === null || ingest.logLimitBytes === 0) return
      const ratio = ingest.logBytes / ingest.logLimitBytes
      if (ratio < faultLimits.logFullRatio || ingest.brokerAway === 0) return undefined
      return `The write-ahead log is ${percentText(ratio)} full and NATS is away; when it is full, events are lost: start NATS, or raise INGEST_LOG_BYTES_MAX.`
    },
  },
]

/** What is away names the cause; with nothing away, there is too much load. */
function remedyFor(snapshot: Snapshot): string {
  if (missing(snapshot, 'nats') !== undefined || (snapshot.ingest?.brokerAway ?? 0) > 0) {
    return 'NATS is away and the write-ahead log cannot take them, so start NATS or free the log.'
  }
  if (missing(snapshot, 'postgres') !== undefined) {
    return 'Postgres is away, and ingest accepts only DSN keys that it has used before, so start Postgres.'
  }
  return 'add an ingest process, or look for request_failed in its log.'
}
