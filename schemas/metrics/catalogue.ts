/**
 * Every metric of every process. The documentation, the alert rules and the dashboard are generated
 * from it.
 */
import { alertMetrics } from './alert-metrics.ts'
import { apiMetrics } from './api-metrics.ts'
import { commonMetrics } from './common-metrics.ts'
import { deliveryMetrics } from './delivery-metrics.ts'
import { ingestMetrics } from './ingest-metrics.ts'
import { mailerMetrics } from './mailer-metrics.ts'
import type { MetricDefinition } from './metric-definition.ts'
import { upkeepMetrics } from './upkeep-metrics.ts'
import { workerMetrics } from './worker-metrics.ts'

export const metricProcesses = ['ingest', 'workers', 'mailer', 'api'] as const
export type MetricProcess = (typeof metricProcesses)[number]

const ofProcess: Readonly<Record<MetricProcess, readonly MetricDefinition[]>> = {
  ingest: Object.values(ingestMetrics),
  workers: [
    ...Object.values(workerMetrics),
    ...Object.values(upkeepMetrics),
    ...Object.values(deliveryMetrics),
    ...Object.values(alertMetrics),
  ],
  mailer: Object.values(mailerMetrics),
  api: Object.values(apiMetrics),
}

/** Metrics of one process without the common ones, in the order of the catalogue. */
export function ownMetricsOf(process: MetricProcess): readonly MetricDefinition[] {
  return ofProcess[process]
}

/** All metrics of one process, without the default metrics of Node. */
export function metricsOfProcess(process: MetricProcess): readonly MetricDefinition[] {
  return [...Object.values(commonMetrics), ...ofProcess[process]]
}

/** All metrics of all processes, each once. */
export const allMetrics: readonly MetricDefinition[] = [
  ...Object.values(commonMetrics),
  ...metricProcesses.flatMap((process) => ofProcess[process]),
]

/** Values and bound of each label. */
export const labelHelp: Readonly<Record<string, string>> = {
  process: 'ingest, workers, mailer or api',
  version: 'version of the program',
  installation: 'id of the installation, a UUID',
  dependency: 'postgres, nats, clickhouse, smtp and others that the process needs',
  folder:
    'data; ingest_log; ingest_log_limit (the maximum of the log itself); clickhouse:<disk>; nats (all of JetStream, if limited); nats:<stream>',
  task: 'name of a periodic task or a job; a few dozen',
  status: 'HTTP status',
  partition: 'number of a partition of the stream; at most 64',
  outcome: 'over_quota, rejected, duplicate, filtered, unsupported or client_discard',
  reason: 'one of a fixed list of reasons, or other; empty if the outcome needs none',
  table: 'name of a table with a retention policy',
  stream: 'name of a stream; at most 64',
  project: 'id of a project; at most ten at a time',
  lane: 'urgent, notifications or campaigns',
  kind: 'kind of the email',
  type: 'type of the notification target: email, webhook, slack and others',
  end: 'result of the attempt',
  method: 'HTTP method',
  route: 'path pattern of the route',
}
