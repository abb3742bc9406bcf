/** What the processes say at one moment: values from which advice, text and JSON are made. */
export interface ProcessState {
  readonly name: string
  readonly kind: ProcessKind
  readonly url: string
  readonly state: 'ready' | 'not ready' | 'does not answer' | 'unknown'
  /** Why it is not ready or does not answer, and what it lacks while it is ready. */
  readonly reasons: readonly string[]
  readonly version: string | null
  readonly installation: string | null
  readonly uptimeSeconds: number | null
  /** 1 is one core. Null before the second scrape. */
  readonly cpuCores: number | null
  readonly memoryBytes: number | null
  readonly startedAt: string | null
  /** Mean delay of the event loop between two scrapes; a free process has about 0.01. */
  readonly eventLoopLagSeconds: number | null
  /** What the process works on. Null before the second scrape. */
  readonly rate: {
    readonly unit: 'requests' | 'events' | 'emails'
    readonly perSecond: number
  } | null
}

export type ProcessKind = 'ingest' | 'workers' | 'mailer' | 'api' | 'unknown'

export interface IngestState {
  /** By status class, such as `2xx`. Null before the second scrape. */
  readonly requestsPerSecond: Readonly<Record<string, number>> | null
  readonly framesPerSecond: number | null
  readonly requestsPending: number
  readonly logBytes: number
  readonly logLimitBytes: number | null
  readonly oldestFrameSeconds: number | null
  /** Processes that the broker accepts no frames from. */
  readonly brokerAway: number
  readonly quotaAway: number
  readonly logErrorsPerMinute: number
  readonly forgottenPerMinute: number
  readonly logsLeftAlone: number
}

export interface PartitionState {
  readonly partition: string
  /** Name of the process that reads it; null while no process that answers does. */
  readonly owner: string | null
  readonly lagSeconds: number | null
  readonly lagEvents: number | null
  readonly sinceCommitSeconds: number | null
  readonly stuckSeconds: number
  readonly storeFault: boolean
  /** An older Postgres was restored, so the partition waits for `admin reconcile`. */
  readonly postgresOlder: boolean
}

export interface WorkersState {
  readonly eventsPerSecond: number | null
  readonly partitions: readonly PartitionState[]
  readonly deadLetters: Readonly<Record<string, number>>
  readonly jobsWaiting: Readonly<Record<string, number>>
  readonly jobsFailed: Readonly<Record<string, number>>
  readonly streamFullRatio: Readonly<Record<string, number>>
}

export interface MailState {
  readonly lanes: readonly {
    readonly lane: string
    readonly waiting: number
    readonly oldestSeconds: number
  }[]
  readonly sentPerSecond: number | null
  readonly smtpAway: boolean
}

export interface DiskState {
  readonly process: string
  readonly folder: string
  readonly freeBytes: number
  readonly sizeBytes: number | null
  /** Null: it does not fill, or nobody knows. */
  readonly fullSeconds: number | null
}

export interface Snapshot {
  readonly at: string
  readonly processes: readonly ProcessState[]
  readonly ingest: IngestState | null
  readonly workers: WorkersState | null
  readonly mail: MailState | null
  readonly dropsPerMinute: readonly {
    readonly outcome: string
    readonly reason: string
    readonly perMinute: number
  }[]
  readonly quota: readonly { readonly project: string; readonly usedRatio: number }[]
  readonly disks: readonly DiskState[]
  readonly clocks: readonly { readonly process: string; readonly offsetSeconds: number }[]
  /** What at least one process cannot reach, and which ones. */
  readonly missing: readonly { readonly dependency: string; readonly processes: string[] }[]
  /** Unix time in seconds; null if no process reports one, 0 before the first backup. */
  readonly lastBackup: number | null
}
