/** Alerts about the way of an event. */
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { ingestMetrics } from '#schemas/metrics/ingest-metrics.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import { workerMetrics } from '#schemas/metrics/worker-metrics.ts'
import type { AlertGroup } from './alert.ts'

const i = ingestMetrics
const w = workerMetrics
const full = commonMetrics.diskFullSeconds.name

export const eventAlerts: AlertGroup = {
  name: 'sluice-events',
  alerts: [
    {
      name: 'EventsLostOrResent',
      severity: 'critical',
      expression: [i.framesForgotten, i.logSegmentsDropped, i.logErrors]
        .map(({ name }) => `sum by (instance) (increase(${name}[15m]))`)
        .join(' + ')
        .concat(' > 0'),
      holds: '0m',
      summary: 'The broker lost frames, or the write-ahead log of ingest failed.',
      description:
        '{{ $value | printf "%.0f" }} frames forgotten by the broker, log segments dropped or log writes failed on {{ $labels.instance }} within 15 minutes.',
    },
    {
      name: 'RequestsRefused',
      severity: 'critical',
      expression: `sum by (instance) (increase(${i.replies.name}{status=~"5.."}[5m])) > 0`,
      holds: '1m',
      summary: 'Ingest answers 5xx. SDKs do not resend these events.',
      description:
        '{{ $value | printf "%.0f" }} requests were answered 5xx by {{ $labels.instance }} within 5 minutes.',
    },
    {
      name: 'BrokerAway',
      severity: 'critical',
      expression: `max by (instance) (${i.brokerAway.name}) == 1`,
      holds: '1m',
      summary: 'Ingest cannot reach the broker. Events are kept in its write-ahead log.',
      description: 'NATS accepts no frames from {{ $labels.instance }}.',
    },
    {
      name: 'LogNotDrained',
      severity: 'critical',
      expression: `max by (instance) (${i.logOldestFrame.name}) > 120`,
      holds: '1m',
      summary: 'Events were accepted and are not being stored.',
      description:
        'The oldest frame in the write-ahead log of {{ $labels.instance }} is {{ $value | humanizeDuration }} old: no worker has committed it.',
    },
    {
      name: 'WalNearLimit',
      severity: 'critical',
      expression: `max by (instance) (${i.logBytes.name} / (${i.logLimitBytes.name} > 0)) > ${faultLimits.logFullRatio} or min by (instance) (${full}{folder="ingest_log_limit"}) < 1800`,
      holds: '1m',
      summary: 'The write-ahead log of ingest is nearly full. After that events are refused.',
      description:
        'The write-ahead log of {{ $labels.instance }} is over 80 % full, or will be full within 30 minutes (value {{ $value | printf "%.2f" }}).',
    },
    {
      name: 'StreamNearFull',
      severity: 'critical',
      expression: `max by (stream) (${upkeepMetrics.streamFullRatio.name}) > ${faultLimits.streamFullRatio}`,
      holds: '2m',
      summary: 'A stream is nearly full. After that it refuses frames.',
      description: 'Stream {{ $labels.stream }} is {{ $value | humanizePercentage }} full.',
    },
    {
      name: 'LagHigh',
      severity: 'critical',
      expression: `max by (partition) (${w.lagSeconds.name}) > ${faultLimits.lagSeconds}`,
      holds: '1m',
      summary: 'Workers are more than a minute behind.',
      description:
        'The oldest event of partition {{ $labels.partition }} has waited {{ $value | humanizeDuration }}.',
    },
    {
      name: 'StoreRefusesEverything',
      severity: 'critical',
      expression: `max by (partition) (${w.partitionStoreFault.name}) == 1`,
      holds: '0m',
      summary:
        'Postgres or ClickHouse refuses every record. Events become dead letters in an hour.',
      description:
        'A store refuses even test records of the worker for partition {{ $labels.partition }}.',
    },
    {
      name: 'StoresDisagree',
      severity: 'critical',
      expression: `max by (partition) (${w.postgresOlder.name}) == 1 or max by (partition) (${w.clickhouseOlder.name}) == 1`,
      holds: '0m',
      summary: 'A store was restored from an older state than the other.',
      description:
        'Postgres and ClickHouse do not fit together in partition {{ $labels.partition }}.',
    },
    {
      name: 'DeadLetters',
      severity: 'warning',
      expression: `max by (reason) (${upkeepMetrics.deadLetters.name}) > 0`,
      holds: '5m',
      summary: 'Records could not be digested and wait in dead_letters.',
      description:
        '{{ $value | printf "%.0f" }} dead letters with the reason {{ $labels.reason }}.',
    },
    {
      name: 'QuotaNearLimit',
      severity: 'warning',
      expression: `max by (project) (${upkeepMetrics.quotaUsedRatio.name}) > 0.9`,
      holds: '10m',
      summary: 'A project has used over 90 % of its monthly events. At 100 % they are refused.',
      description:
        'Project {{ $labels.project }} has used {{ $value | humanizePercentage }} of its monthly quota.',
    },
  ],
}
