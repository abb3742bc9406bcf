import type { MetricDefinitions } from './metric-definition.ts'

/**
 * Metrics of a worker process about stored data and shared work. Most are reported only by the
 * owner of the first partition, so that a sum over processes counts nothing twice.
 */
export const upkeepMetrics = {
  deadLetters: {
    name: 'workers_dead_letters',
    type: 'gauge',
    help: 'Records and unreadable frames kept in dead_letters, by reason. The process that owns the first partition reports it. They wait for a person to retry or delete them.',
    labels: ['reason'],
  },
  deadLettersExpired: {
    name: 'workers_dead_letters_expired_total',
    type: 'counter',
    help: 'Dead letters deleted because they were older than the retention.',
    labels: [],
  },
  rowsExpired: {
    name: 'workers_rows_expired_total',
    type: 'counter',
    help: 'Rows deleted by the retention policies, by table.',
    labels: ['table'],
  },
  tableRows: {
    name: 'workers_table_rows',
    type: 'gauge',
    help: 'Estimated rows of a table, from the statistics of Postgres. The process that owns the first partition reports it.',
    labels: ['table'],
  },
  streamFullRatio: {
    name: 'workers_stream_full_ratio',
    type: 'gauge',
    help: 'Share of its maximum bytes that a stream used before committed messages were purged. At 1 it refuses messages, and ingest keeps them in its write-ahead log.',
    labels: ['stream'],
  },
  quotaUsedRatio: {
    name: 'workers_quota_used_ratio',
    type: 'gauge',
    help: 'Events charged this month divided by the monthly quota, for the ten projects that are nearest to their quota. At 1 events of the project are refused. The process that owns the first partition reports it.',
    labels: ['project'],
  },
  jobsWaiting: {
    name: 'workers_jobs_waiting',
    type: 'gauge',
    help: 'Jobs of the job queue that are due and not running, by task. A value that grows means that no worker runs jobs. The process that owns the first partition reports it.',
    labels: ['task'],
  },
  jobsFailed: {
    name: 'workers_jobs_failed',
    type: 'gauge',
    help: 'Jobs of the job queue that failed on every attempt and are not retried any more, by task. The process that owns the first partition reports it.',
    labels: ['task'],
  },
} as const satisfies MetricDefinitions
