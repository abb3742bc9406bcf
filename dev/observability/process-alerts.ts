/** Alerts about processes, disks and backups. */
import { metricProcesses } from '#schemas/metrics/catalogue.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import type { AlertGroup } from './alert.ts'

const c = commonMetrics
/** Not disks: their limits have alerts of their own. */
const notDisks = 'ingest_log_limit|nats.*'
const missing = metricProcesses
  .map((process) => `absent(${c.buildInfo.name}{process="${process}"})`)
  .join(' or ')

export const processAlerts: AlertGroup = {
  name: 'sluice-processes',
  alerts: [
    {
      name: 'ProcessDown',
      severity: 'critical',
      expression: `up{job="sluice"} == 0 or ${missing}`,
      holds: '2m',
      summary: 'A process does not run or does not respond.',
      description:
        'Prometheus cannot read the metrics of {{ if $labels.instance }}{{ $labels.instance }}{{ else }}any process {{ $labels.process }}{{ end }}.',
    },
    {
      name: 'NotReady',
      severity: 'critical',
      expression: `min by (instance) (${c.ready.name}) == 0`,
      holds: '2m',
      summary: 'A process does not do its job for clients.',
      description: '{{ $labels.instance }} is not ready; its /health/ready says why.',
    },
    {
      name: 'DependencyAway',
      severity: 'warning',
      expression: `min by (instance, dependency) (${c.dependencyUp.name}) == 0`,
      holds: '2m',
      summary: 'A process cannot reach a store, the broker or the mail server.',
      description: '{{ $labels.dependency }} does not respond to {{ $labels.instance }}.',
    },
    {
      name: 'ClockOffset',
      severity: 'warning',
      expression: `max by (instance) (abs(${c.clockOffsetSeconds.name})) > ${faultLimits.clockOffsetSeconds}`,
      holds: '1m',
      summary: 'The clock of a machine differs from Postgres by more than a minute.',
      description:
        'The clocks of {{ $labels.instance }} and Postgres differ by {{ $value | humanizeDuration }}.',
    },
    {
      name: 'DiskFullSoon',
      severity: 'critical',
      expression: `min by (instance, folder) (${c.diskFullSeconds.name}{folder!~"${notDisks}"}) < ${faultLimits.diskFullSeconds}`,
      holds: '10m',
      summary: 'A disk will be full within a day.',
      description:
        'The disk of {{ $labels.folder }} on {{ $labels.instance }} is full in {{ $value | humanizeDuration }} at the present rate.',
    },
    {
      name: 'DiskAlmostFull',
      severity: 'critical',
      expression: `min by (instance, folder) (${c.diskFreeBytes.name}{folder!~"${notDisks}"} / ${c.diskSizeBytes.name}) < ${faultLimits.diskFreeRatio}`,
      holds: '5m',
      summary: 'A disk has less than 5 % free.',
      description:
        'The disk of {{ $labels.folder }} on {{ $labels.instance }} has {{ $value | humanizePercentage }} free.',
    },
    {
      name: 'BackupTooOld',
      severity: 'warning',
      expression: `time() - max(${c.backupLastSuccess.name} > 0) > ${faultLimits.backupAgeSeconds}`,
      holds: '10m',
      summary: 'The last backup is older than 36 hours.',
      description: 'The last complete backup ended {{ $value | humanizeDuration }} ago.',
    },
  ],
}
