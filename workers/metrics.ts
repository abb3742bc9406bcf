import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { WindowMetrics } from './dedup/window-metrics.ts'

export interface WorkerMetrics {
  readonly registry: Registry
  readonly eventsDigested: Counter
  readonly framesRepeated: Counter
  readonly framesRefused: Counter
  readonly framesForeign: Counter
  readonly rangesUndone: Counter
  readonly rangesFailed: Counter
  readonly issuesCreated: Counter
  readonly issuesRegressed: Counter
  readonly monitorFailures: Counter
  readonly checkInsRefused: Counter<'reason'>
  readonly partitionsOwned: Gauge
  readonly partitionStuckSeconds: Gauge<'partition'>
  readonly partitionStoreFault: Gauge<'partition'>
  readonly deadLetters: Gauge<'reason'>
  readonly deadLettersExpired: Counter
  readonly backupLastSuccess: Gauge
  readonly rangeSeconds: Histogram
  readonly window: WindowMetrics
}

export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  return {
    registry,
    eventsDigested: counter(
      'workers_events_digested_total',
      'Events stored and counted in their issue.',
    ),
    framesRepeated: counter(
      'workers_frames_repeated_total',
      'Frames dropped because they had been digested before.',
    ),
    framesRefused: counter(
      'workers_frames_refused_total',
      'Frames that were not digested; ingest sends them again.',
    ),
    framesForeign: counter(
      'workers_frames_foreign_total',
      'Frames of another installation, which were not digested.',
    ),
    rangesUndone: counter('workers_ranges_undone_total', 'Planned ranges that were undone.'),
    rangesFailed: counter('workers_ranges_failed_total', 'Failed attempts to digest a range.'),
    issuesCreated: counter('workers_issues_created_total', 'Issues created.'),
    issuesRegressed: counter('workers_issues_regressed_total', 'Resolved issues that regressed.'),
    monitorFailures: counter(
      'workers_monitor_failures_total',
      'Failed monitor runs that became events.',
    ),
    checkInsRefused: new Counter({
      name: 'workers_check_ins_refused_total',
      help: 'Check-ins refused by a commit, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    partitionsOwned: new Gauge({
      name: 'workers_partitions_owned',
      help: 'Partitions that this process owns now.',
      registers,
    }),
    partitionStuckSeconds: new Gauge({
      name: 'workers_partition_stuck_seconds',
      help: 'Seconds since the cursor of an owned partition last moved while messages wait; 0 while none waits.',
      labelNames: ['partition'],
      registers,
    }),
    partitionStoreFault: new Gauge({
      name: 'workers_partition_store_fault',
      help: '1 while Postgres or ClickHouse refuses every record of an owned partition, including test records of the worker.',
      labelNames: ['partition'],
      registers,
    }),
    deadLettersExpired: counter(
      'workers_dead_letters_expired_total',
      'Dead letters deleted because they were older than the retention.',
    ),
    deadLetters: new Gauge({
      name: 'workers_dead_letters',
      help: 'Records and unreadable frames kept in dead_letters, by reason; reported by the process that owns partition 0.',
      labelNames: ['reason'],
      registers,
    }),
    backupLastSuccess: new Gauge({
      name: 'sluice_backup_last_success_seconds',
      help: 'Unix time at which the last backup was complete, 0 for none; reported by the process that owns partition 0.',
      registers,
    }),
    rangeSeconds: new Histogram({
      name: 'workers_range_seconds',
      help: 'Seconds from the plan of a range to its commit.',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    window: new WindowMetrics(registry),
  }
}
