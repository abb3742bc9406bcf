/** The reply of `GET /api/v1/operation`. */
import type { Operation } from '#schemas/rest/operation/operation.ts'
import { adviseAll } from './advice/advise.ts'
import { splitAdvice } from './advice/split-advice.ts'
import type {
  DiskState,
  IngestState,
  MailState,
  PartitionState,
  ProcessState,
  Snapshot,
} from './processes/snapshot.ts'

const streamPrefix = 'nats:'

export interface StoreFigures {
  readonly jobs: Operation['jobs']
  readonly dead_letters: Operation['dead_letters']
  readonly postgres: Operation['postgres']
  readonly clickhouse: Operation['clickhouse']
}

export function operationView(snapshot: Snapshot, stores: StoreFigures): Operation {
  const { ingest, workers, mail, lastBackup } = snapshot
  return {
    at: snapshot.at,
    advice: adviseAll(snapshot).map(({ rule, severity, text, runbook }) => ({
      code: rule,
      severity,
      ...splitAdvice(text),
      page: runbook,
    })),
    processes: snapshot.processes.map(processView),
    ingest: ingest && ingestView(ingest),
    workers: workers && { events_per_second: workers.eventsPerSecond },
    partitions: (workers?.partitions ?? []).map(partitionView),
    streams: streamViews(snapshot),
    mail: mail && mailView(mail),
    drops: snapshot.dropsPerMinute.map(({ outcome, reason, perMinute }) => ({
      outcome,
      reason,
      per_minute: perMinute,
    })),
    disks: snapshot.disks.filter(({ folder }) => !folder.startsWith(streamPrefix)).map(diskView),
    clocks: snapshot.clocks.map(({ process, offsetSeconds }) => ({
      process,
      offset_seconds: offsetSeconds,
    })),
    missing: snapshot.missing.map(({ dependency, processes }) => ({
      dependency,
      processes: [...processes],
    })),
    last_backup_at: lastBackup ? timeOf(lastBackup) : null,
    ...stores,
  }
}

function processView(one: ProcessState): Operation['processes'][number] {
  const { name, kind, url, state, reasons, version, installation, rate } = one
  return {
    name,
    kind,
    address: new URL(url).host,
    state,
    reasons: [...reasons],
    version,
    installation,
    since: one.startedAt,
    cpu_cores: one.cpuCores,
    memory_bytes: one.memoryBytes,
    event_loop_lag_seconds: one.eventLoopLagSeconds,
    rate: rate && { unit: rate.unit, per_second: rate.perSecond },
  }
}

function ingestView(ingest: IngestState): NonNullable<Operation['ingest']> {
  const { requestsPerSecond } = ingest
  return {
    requests_per_second: requestsPerSecond && { ...requestsPerSecond },
    frames_per_second: ingest.framesPerSecond,
    requests_pending: ingest.requestsPending,
    log_bytes: ingest.logBytes,
    log_limit_bytes: ingest.logLimitBytes,
    oldest_frame_seconds: ingest.oldestFrameSeconds,
    broker_away: ingest.brokerAway,
    quota_away: ingest.quotaAway,
  }
}

function partitionView(one: PartitionState): Operation['partitions'][number] {
  return {
    partition: one.partition,
    owner: one.owner,
    lag_seconds: one.lagSeconds,
    lag_events: one.lagEvents,
    since_commit_seconds: one.sinceCommitSeconds,
    stuck_seconds: one.stuckSeconds,
    store_fault: one.storeFault,
    postgres_older: one.postgresOlder,
  }
}

/** Several processes report the same stream; its bytes are those of the limit. */
function streamViews({ disks, workers }: Snapshot): Operation['streams'] {
  const limits = new Map<string, DiskState>()
  for (const disk of disks) {
    if (disk.folder.startsWith(streamPrefix)) {
      limits.set(disk.folder.slice(streamPrefix.length), disk)
    }
  }
  const ratios = workers?.streamFullRatio ?? {}
  return [...new Set([...limits.keys(), ...Object.keys(ratios)])].sort().map((name) => {
    const limit = limits.get(name)
    const size = limit?.sizeBytes ?? null
    return {
      name,
      used_bytes: limit === undefined || size === null ? null : size - limit.freeBytes,
      limit_bytes: size,
      full_ratio: ratios[name] ?? null,
    }
  })
}

function mailView({ lanes, sentPerSecond, smtpAway }: MailState): NonNullable<Operation['mail']> {
  return {
    lanes: lanes.map(({ lane, waiting, oldestSeconds }) => ({
      lane,
      waiting,
      oldest_seconds: oldestSeconds,
    })),
    sent_per_second: sentPerSecond,
    smtp_away: smtpAway,
  }
}

function diskView({ process, folder, freeBytes, sizeBytes, fullSeconds }: DiskState) {
  return {
    process,
    folder,
    free_bytes: freeBytes,
    size_bytes: sizeBytes,
    full_seconds: fullSeconds,
  }
}

/** Null for a time that no date can be. */
function timeOf(seconds: number): string | null {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
