/**
 * Combines the scrapes of all processes. What each process counts for itself is added up; what each
 * reads from a shared store (waiting emails, jobs, lag) is the largest value, because several
 * processes report the same thing.
 */
import {
  byLabel,
  first,
  has,
  hasRates,
  labelOf,
  largest,
  largestBy,
  minuteMs,
  numbers,
  type Observed,
  rateMs,
  rateOf,
  ratesOf,
  sum,
  textOf,
} from './metric-values.ts'
import type { Scrape } from './scrape.ts'
import type {
  DiskState,
  IngestState,
  MailState,
  PartitionState,
  ProcessKind,
  ProcessState,
  Snapshot,
  WorkersState,
} from './snapshot.ts'

export function readSnapshot(observed: readonly Observed[], nowMs: number): Snapshot {
  const answering = observed.filter(({ metrics }) => metrics !== undefined)
  const ofKind = (kind: ProcessKind) => answering.filter((one) => kindOf(one) === kind)
  return {
    at: new Date(nowMs).toISOString(),
    processes: observed.map((one) => readProcess(one, nowMs)),
    ingest: readIngest(ofKind('ingest')),
    workers: readWorkers(ofKind('workers')),
    mail: readMail(ofKind('mailer')),
    dropsPerMinute: readDrops(answering),
    quota: readQuota(answering),
    disks: answering.flatMap(readDisks),
    clocks: answering.flatMap((one) =>
      numbers(one, 'sluice_clock_offset_seconds').map(({ value }) => ({
        process: one.target.name,
        offsetSeconds: value,
      })),
    ),
    missing: readMissing(answering),
    lastBackup: largest(answering, 'sluice_backup_last_success_seconds'),
  }
}

function readProcess(one: Observed, nowMs: number): ProcessState {
  const { target, metrics, readiness, error } = one
  const build = metrics?.get('sluice_build_info')?.[0]?.labels
  const startedAt = first(one, 'process_start_time_seconds')
  const base = { name: target.name, kind: kindOf(one), url: target.metricsUrl }
  const facts = {
    version: textOf(build?.get('version')),
    installation: textOf(build?.get('installation')),
    uptimeSeconds: startedAt === null ? null : Math.max(0, nowMs / 1000 - startedAt),
    cpuCores: metrics === undefined ? null : rateOf([one], 'process_cpu_seconds_total', rateMs),
    memoryBytes: first(one, 'process_resident_memory_bytes'),
    startedAt: timeOf(startedAt),
    eventLoopLagSeconds: first(one, 'nodejs_eventloop_lag_mean_seconds'),
    rate: readRate(one),
  }
  if (metrics === undefined) {
    // A process that still answers its health check is alive, and only its metrics are missing.
    const reasons = [error ?? 'no metrics']
    return { ...base, ...facts, state: 'does not answer', reasons }
  }
  if (readiness.state === 'unknown') {
    const isReady = first(one, 'sluice_ready')
    if (isReady !== null) {
      return { ...base, ...facts, state: isReady === 1 ? 'ready' : 'not ready', reasons: [] }
    }
    return { ...base, ...facts, state: 'unknown', reasons: [`readiness: ${readiness.reason}`] }
  }
  return { ...base, ...facts, state: readiness.state, reasons: readiness.reasons }
}

const rateOfKind = {
  ingest: ['requests', 'ingest_replies_total'],
  workers: ['events', 'workers_events_digested_total'],
  mailer: ['emails', 'mail_letters_total'],
  api: ['requests', 'api_request_duration_seconds_count'],
} as const

function readRate(one: Observed): ProcessState['rate'] {
  const kind = kindOf(one)
  if (kind === 'unknown' || one.metrics === undefined) return null
  const [unit, name] = rateOfKind[kind]
  const perSecond = rateOf([one], name, rateMs)
  return perSecond === null ? null : { unit, perSecond }
}

/** Null also for an invalid time, which another program may report. */
function timeOf(seconds: number | null): string | null {
  const date = new Date((seconds ?? Number.NaN) * 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

const kinds = ['ingest', 'workers', 'mailer', 'api'] as const

/** Several kinds of metrics may begin alike, so what a process says about itself comes first. */
function kindOf({ target, metrics }: Scrape): ProcessKind {
  const said = metrics?.get('sluice_build_info')?.[0]?.labels.get('process')
  const byName = (text: string | undefined) => kinds.find((kind) => text?.startsWith(kind))
  const named = byName(said) ?? byName(target.name)
  if (named !== undefined || metrics === undefined) return named ?? 'unknown'
  if (metrics.has('ingest_log_bytes')) return 'ingest'
  if (metrics.has('mail_lines_open')) return 'mailer'
  if (metrics.has('workers_partitions_owned')) return 'workers'
  return metrics.has('api_request_duration_seconds_count') ? 'api' : 'unknown'
}

function readIngest(all: readonly Observed[]): IngestState | null {
  if (all.length === 0) return null
  return {
    requestsPerSecond: readReplies(all),
    framesPerSecond: rateOf(all, 'ingest_frames_acknowledged_total', rateMs),
    requestsPending: sum(all, 'ingest_requests_pending'),
    logBytes: sum(all, 'ingest_log_bytes'),
    logLimitBytes: has(all, 'ingest_log_limit_bytes') ? sum(all, 'ingest_log_limit_bytes') : null,
    oldestFrameSeconds: largest(all, 'ingest_log_oldest_frame_seconds'),
    brokerAway: sum(all, 'ingest_broker_away'),
    quotaAway: sum(all, 'ingest_quota_away'),
    logErrorsPerMinute: 60 * (rateOf(all, 'ingest_log_errors_total', minuteMs) ?? 0),
    forgottenPerMinute: 60 * (rateOf(all, 'ingest_frames_forgotten_total', minuteMs) ?? 0),
    logsLeftAlone: sum(all, 'ingest_logs_left_alone'),
  }
}

function readReplies(all: readonly Observed[]): Record<string, number> | null {
  if (!hasRates(all)) return null
  const found: Record<string, number> = { '2xx': 0, '4xx': 0, '5xx': 0 }
  for (const { labels, perSecond } of ratesOf(all, 'ingest_replies_total', rateMs)) {
    const status = labels.get('status') ?? ''
    const name = /^[1-5]\d\d$/.test(status) ? `${status[0]}xx` : 'other'
    found[name] = (found[name] ?? 0) + perSecond
  }
  return found
}

function readWorkers(all: readonly Observed[]): WorkersState | null {
  if (all.length === 0) return null
  return {
    eventsPerSecond: rateOf(all, 'workers_events_digested_total', rateMs),
    partitions: readPartitions(all),
    deadLetters: largestBy(all, 'workers_dead_letters', 'reason'),
    jobsWaiting: largestBy(all, 'workers_jobs_waiting', 'task'),
    jobsFailed: largestBy(all, 'workers_jobs_failed', 'task'),
    streamFullRatio: largestBy(all, 'workers_stream_full_ratio', 'stream'),
  }
}

function readPartitions(all: readonly Observed[]): PartitionState[] {
  const lag = largestBy(all, 'workers_lag_seconds', 'partition')
  const events = largestBy(all, 'workers_lag_events', 'partition')
  const since = largestBy(all, 'workers_seconds_since_commit', 'partition')
  const stuck = largestBy(all, 'workers_partition_stuck_seconds', 'partition')
  const fault = largestBy(all, 'workers_partition_store_fault', 'partition')
  const older = largestBy(all, 'workers_postgres_older', 'partition')
  const owners = readOwners(all)
  const names = [lag, events, since, stuck, fault, older].flatMap((values) => Object.keys(values))
  return [...new Set(names)]
    .sort((one, other) => Number(one) - Number(other))
    .map((partition) => ({
      partition,
      owner: owners.get(partition) ?? null,
      lagSeconds: lag[partition] ?? null,
      lagEvents: events[partition] ?? null,
      sinceCommitSeconds: since[partition] ?? null,
      stuckSeconds: stuck[partition] ?? 0,
      storeFault: (fault[partition] ?? 0) > 0,
      postgresOlder: (older[partition] ?? 0) > 0,
    }))
}

/** Only the owner of a partition reports when it committed; of two, the last to commit owns it. */
function readOwners(all: readonly Observed[]): Map<string, string> {
  const found = new Map<string, { readonly name: string; readonly seconds: number }>()
  for (const one of all) {
    const since = byLabel(one, 'workers_seconds_since_commit', 'partition')
    for (const [partition, seconds] of Object.entries(since)) {
      const known = found.get(partition)
      if (known !== undefined && known.seconds <= seconds) continue
      found.set(partition, { name: one.target.name, seconds })
    }
  }
  return new Map([...found].map(([partition, { name }]) => [partition, name]))
}

function readMail(all: readonly Observed[]): MailState | null {
  if (all.length === 0) return null
  const waiting = largestBy(all, 'mailer_emails_waiting', 'lane')
  const oldest = largestBy(all, 'mailer_oldest_email_seconds', 'lane')
  const lanes = [...new Set([...Object.keys(waiting), ...Object.keys(oldest)])].sort()
  const sent = ratesOf(all, 'mail_letters_total', rateMs)
  const isSent = ({ labels }: (typeof sent)[number]) => labels.get('end') === 'sent'
  const sentPerSecond = sent.filter(isSent).reduce((total, { perSecond }) => total + perSecond, 0)
  return {
    lanes: lanes.map((lane) => ({
      lane,
      waiting: waiting[lane] ?? 0,
      oldestSeconds: oldest[lane] ?? 0,
    })),
    sentPerSecond: hasRates(all) ? sentPerSecond : null,
    smtpAway: (largest(all, 'mailer_smtp_away') ?? 0) > 0,
  }
}

function readDrops(all: readonly Observed[]): Snapshot['dropsPerMinute'] {
  const found = new Map<string, Snapshot['dropsPerMinute'][number]>()
  for (const { labels, perSecond } of ratesOf(all, 'workers_items_dropped_total', minuteMs)) {
    const outcome = labelOf(labels, 'outcome')
    const reason = labelOf(labels, 'reason')
    const name = `${outcome} ${reason}`
    const perMinute = (found.get(name)?.perMinute ?? 0) + 60 * perSecond
    if (perMinute > 0) found.set(name, { outcome, reason, perMinute })
  }
  return [...found.values()].sort((one, other) => other.perMinute - one.perMinute)
}

function readQuota(all: readonly Observed[]): Snapshot['quota'] {
  return Object.entries(largestBy(all, 'workers_quota_used_ratio', 'project'))
    .map(([project, usedRatio]) => ({ project, usedRatio }))
    .sort((one, other) => other.usedRatio - one.usedRatio)
}

function readDisks(one: Observed): DiskState[] {
  const size = byLabel(one, 'sluice_disk_size_bytes', 'folder')
  const seconds = byLabel(one, 'sluice_disk_full_seconds', 'folder')
  return Object.entries(byLabel(one, 'sluice_disk_free_bytes', 'folder')).map(
    ([folder, freeBytes]) => ({
      process: one.target.name,
      folder,
      freeBytes,
      sizeBytes: size[folder] ?? null,
      fullSeconds: seconds[folder] ?? null,
    }),
  )
}

function readMissing(all: readonly Observed[]): Snapshot['missing'] {
  const found = new Map<string, Set<string>>()
  const add = (dependency: string, process: string) => {
    const known = found.get(dependency) ?? new Set()
    found.set(dependency, known.add(process))
  }
  for (const one of all) {
    for (const { labels, value } of numbers(one, 'sluice_dependency_up')) {
      if (value === 0) add(labelOf(labels, 'dependency'), one.target.name)
    }
    // Processes without the metric name a store in their readiness.
    const reasons = one.readiness.state === 'unknown' ? [] : one.readiness.reasons
    for (const reason of reasons) {
      const store = /^(?:postgres|clickhouse|nats|smtp)\b/.exec(reason)?.[0]
      if (store !== undefined) add(store, one.target.name)
    }
  }
  return [...found].map(([dependency, processes]) => ({ dependency, processes: [...processes] }))
}
