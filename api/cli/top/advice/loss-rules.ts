/** Events are being lost, or soon will be. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { bytesText, countText, percentText } from '../format-numbers.ts'
import type { DiskState } from '../snapshot.ts'
import { type AdviceRule, allSilent, silentOnes, whyOf, worst } from './advice-rule.ts'

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
    find: ({ ingest }) => {
      if (ingest === null || ingest.logErrorsPerMinute === 0) return undefined
      return 'Ingest cannot write its write-ahead log: free or replace the disk of INGEST_LOG_DIR.'
    },
  },
  {
    name: 'events_refused',
    severity: 'problem',
    page: 'runbooks/RequestsRefused',
    find: ({ ingest }) => {
      const refused = ingest?.requestsPerSecond?.['5xx'] ?? 0
      if (refused <= 0) return undefined
      return `Ingest refuses ${countText(refused)} requests/s with 5xx, which SDKs do not resend: repair the broker or the disk of the log, or add an ingest process.`
    },
  },
  {
    name: 'disk_nearly_full',
    severity: 'problem',
    page: 'runbooks/DiskFullSoon',
    find: (snapshot) => {
      const disk = worst(snapshot.disks, usedRatioOf, 1 - faultLimits.diskFreeRatio)
      if (disk === undefined) return undefined
      return `The disk of ${disk.folder} (${disk.process}) has ${bytesText(disk.freeBytes)} left: free space or enlarge it now.`
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
      return `The write-ahead log is ${percentText(ratio)} full and the broker is away; when it is full, events are lost: repair NATS, or raise INGEST_LOG_BYTES_MAX.`
    },
  },
]

/** Null for a disk of unknown size. */
function usedRatioOf({ freeBytes, sizeBytes }: DiskState): number | null {
  return sizeBytes ? 1 - freeBytes / sizeBytes : null
}
