/**
 * The one line of advice: the most important thing that is wrong now, what to do, and the page that
 * says more. The rules are in the order of what they cost: events that are being lost, events that
 * soon will be, events and emails that are late, and what can wait until tomorrow.
 */
import { bytesText, countText, durationText, percentText } from './format-numbers.ts'
import type { ProcessKind, ProcessState, Snapshot } from './snapshot.ts'

export interface Advice {
  /** Name of the rule; null if there is nothing to do. */
  readonly rule: string | null
  readonly severity: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** Path of the page below the root of the repository. */
  readonly runbook: string | null
}

export interface AdviceRule {
  readonly name: string
  readonly severity: 'warning' | 'problem'
  /** Page below docs/, without its suffix. */
  readonly page: string
  /** What is wrong and what to do; undefined if the rule does not apply. */
  readonly find: (snapshot: Snapshot) => string | undefined
}

export const lagSecondsMax = 60
export const emailSecondsMax = 900
export const clockSecondsMax = 60
export const backupSecondsMax = 36 * 3600
const daySeconds = 86_400
const nearlyFullRatio = 0.05
const nearlyFullLogRatio = 0.8
const nearlyFullStreamRatio = 0.8
const oldFrameSecondsMax = 60

export function advise(snapshot: Snapshot): Advice {
  for (const { name, severity, page, find } of adviceRules) {
    const text = find(snapshot)
    if (text === undefined) continue
    return { rule: name, severity, text, runbook: `docs/${page}.md` }
  }
  return { rule: null, severity: 'ok', text: 'Nothing to do.', runbook: null }
}

const named = (processes: readonly { readonly name: string }[]) =>
  processes.map(({ name }) => name).join(', ')

function silent({ processes }: Snapshot, kind: ProcessKind): readonly ProcessState[] {
  return processes.filter((one) => one.kind === kind && one.state === 'does not answer')
}

/** All processes of a kind are silent, and there is one. */
function allSilent(snapshot: Snapshot, kind: ProcessKind): readonly ProcessState[] | undefined {
  const all = snapshot.processes.filter((one) => one.kind === kind)
  const lost = silent(snapshot, kind)
  return all.length > 0 && lost.length === all.length ? lost : undefined
}

function whyOf([first]: readonly ProcessState[]): string {
  return first?.reasons[0] ?? 'no answer'
}

function missing(snapshot: Snapshot, dependency: string): string | undefined {
  return snapshot.missing.find((one) => one.dependency === dependency)?.processes.join(', ')
}

function fullest(snapshot: Snapshot) {
  return snapshot.disks
    .filter(({ sizeBytes }) => sizeBytes !== null && sizeBytes > 0)
    .map((disk) => ({ ...disk, ratio: disk.freeBytes / (disk.sizeBytes ?? 1) }))
    .sort((one, other) => one.ratio - other.ratio)[0]
}

function total(counts: Readonly<Record<string, number>> | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
}

export const adviceRules: readonly AdviceRule[] = [
  {
    name: 'nothing_answers',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: ({ processes }) => {
      if (processes.length < 2) return undefined
      if (processes.some(({ state }) => state !== 'does not answer')) return undefined
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
      const disk = fullest(snapshot)
      if (disk === undefined || disk.ratio >= nearlyFullRatio) return undefined
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
      if (ratio < nearlyFullLogRatio || ingest.brokerAway === 0) return undefined
      return `The write-ahead log is ${percentText(ratio)} full and the broker is away; when it is full, events are lost: repair NATS, or raise INGEST_LOG_BYTES_MAX.`
    },
  },
  {
    name: 'broker_away',
    severity: 'problem',
    page: 'runbooks/BrokerAway',
    find: (snapshot) => {
      const away = (snapshot.ingest?.brokerAway ?? 0) > 0
      const lacking = missing(snapshot, 'nats')
      if (!away && lacking === undefined) return undefined
      const log = away ? ' Ingest keeps events in its write-ahead log.' : ''
      return `NATS is away from ${away ? 'ingest' : lacking}: start it or repair the network.${log}`
    },
  },
  {
    name: 'postgres_away',
    severity: 'problem',
    page: 'runbooks/DependencyAway',
    find: (snapshot) => {
      const processes = missing(snapshot, 'postgres')
      return processes && `Postgres does not answer ${processes}: start it or repair the network.`
    },
  },
  {
    name: 'clickhouse_away',
    severity: 'problem',
    page: 'runbooks/DependencyAway',
    find: (snapshot) => {
      const processes = missing(snapshot, 'clickhouse')
      return processes && `ClickHouse does not answer ${processes}: start it or repair the network.`
    },
  },
  {
    name: 'workers_down',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      const lost = allSilent(snapshot, 'workers')
      return (
        lost &&
        `No worker answers (${whyOf(lost)}): events wait in the stream. End and start the workers.`
      )
    },
  },
  {
    name: 'store_fault',
    severity: 'problem',
    page: 'runbooks/StoreRefusesEverything',
    find: ({ workers }) => {
      const broken = (workers?.partitions ?? []).filter(({ storeFault }) => storeFault)
      if (broken.length === 0) return undefined
      const names = broken.map(({ partition }) => partition).join(', ')
      return `A store refuses every record of partition ${names}: repair its schema within an hour (log line store_refuses_everything).`
    },
  },
  {
    name: 'partition_stuck',
    severity: 'problem',
    page: 'runbooks/LagHigh',
    find: ({ workers }) => {
      const stuck = (workers?.partitions ?? []).filter((one) => one.stuckSeconds >= lagSecondsMax)
      if (stuck.length === 0) return undefined
      const longest = Math.max(...stuck.map(({ stuckSeconds }) => stuckSeconds))
      return `Partition ${stuck.map(({ partition }) => partition).join(', ')} is stuck for ${durationText(longest)}: read the log of its worker, then restart it.`
    },
  },
  {
    name: 'lag',
    severity: 'problem',
    page: 'runbooks/LagHigh',
    find: ({ workers }) => {
      const late = (workers?.partitions ?? [])
        .filter(({ lagSeconds }) => (lagSeconds ?? 0) > lagSecondsMax)
        .sort((one, other) => (other.lagSeconds ?? 0) - (one.lagSeconds ?? 0))
      const [worst] = late
      if (worst === undefined) return undefined
      return `Events are ${durationText(worst.lagSeconds)} late (partition ${worst.partition}, ${countText(worst.lagEvents)} events wait): add a worker, or look at the load of the databases.`
    },
  },
  {
    name: 'process_silent',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: ({ processes }) => {
      const lost = processes.filter(({ state }) => state === 'does not answer')
      if (lost.length === 0) return undefined
      return `${named(lost)} does not answer (${whyOf(lost)}): restart it, and read the end of its log.`
    },
  },
  {
    name: 'smtp_away',
    severity: 'problem',
    page: 'runbooks/SmtpAway',
    find: (snapshot) => {
      const isMissing = missing(snapshot, 'smtp') !== undefined
      if (!isMissing && snapshot.mail?.smtpAway !== true) return undefined
      const waiting = (snapshot.mail?.lanes ?? []).reduce((sum, lane) => sum + lane.waiting, 0)
      return `The SMTP server refuses the mailer, and ${countText(waiting)} emails wait: check SMTP_URL with \`npm run admin -- doctor\`.`
    },
  },
  {
    name: 'oldest_email',
    severity: 'problem',
    page: 'runbooks/EmailOldest',
    find: ({ mail }) => {
      const late = (mail?.lanes ?? [])
        .filter(({ oldestSeconds }) => oldestSeconds > emailSecondsMax)
        .sort((one, other) => other.oldestSeconds - one.oldestSeconds)
      const [worst] = late
      if (worst === undefined) return undefined
      return `An email of lane ${worst.lane} waits for ${durationText(worst.oldestSeconds)}: look for deferrals in the log of the mailer, or add a mailer.`
    },
  },
  {
    name: 'process_not_ready',
    severity: 'problem',
    page: 'runbooks/NotReady',
    find: ({ processes }) => {
      const lacking = processes.filter(({ state }) => state === 'not ready')
      const [first] = lacking
      if (first === undefined) return undefined
      const why = first.reasons.length === 0 ? 'without a reason' : first.reasons.join('; ')
      return `${named(lacking)} is not ready (${why}): repair what it names.`
    },
  },
  {
    name: 'disk_full_soon',
    severity: 'warning',
    page: 'runbooks/DiskFullSoon',
    find: ({ disks }) => {
      const soon = disks
        .filter(({ fullSeconds }) => fullSeconds !== null && fullSeconds < daySeconds)
        .sort((one, other) => (one.fullSeconds ?? 0) - (other.fullSeconds ?? 0))
      const [first] = soon
      if (first === undefined) return undefined
      return `The disk of ${first.folder} (${first.process}) is full in ${durationText(first.fullSeconds)}: free space or enlarge it.`
    },
  },
  {
    name: 'clock_offset',
    severity: 'problem',
    page: 'runbooks/ClockOffset',
    find: ({ clocks }) => {
      const off = clocks
        .filter(({ offsetSeconds }) => Math.abs(offsetSeconds) > clockSecondsMax)
        .sort((one, other) => Math.abs(other.offsetSeconds) - Math.abs(one.offsetSeconds))
      const [worst] = off
      if (worst === undefined) return undefined
      const direction = worst.offsetSeconds > 0 ? 'ahead of' : 'behind'
      return `The clock of ${worst.process} is ${durationText(Math.abs(worst.offsetSeconds))} ${direction} Postgres: synchronize the clocks (NTP) of both machines.`
    },
  },
  {
    name: 'installations_differ',
    severity: 'problem',
    page: 'scaling',
    find: ({ processes, ingest }) => {
      const ids = new Set(processes.flatMap(({ installation }) => installation ?? []))
      const left = ingest?.logsLeftAlone ?? 0
      if (ids.size < 2 && left === 0) return undefined
      return ids.size < 2
        ? `${countText(left)} write-ahead logs belong to another installation: give each its own INGEST_LOG_DIR.`
        : `The processes belong to ${ids.size} installations: give all the same POSTGRES_URL.`
    },
  },
  {
    name: 'frames_forgotten',
    severity: 'warning',
    page: 'runbooks/EventsLostOrResent',
    find: ({ ingest }) => {
      if (ingest === null || ingest.forgottenPerMinute === 0) return undefined
      return 'The broker lost frames that it had acknowledged, and ingest sends them again: check the disk of NATS, and use 2.12.3 or later.'
    },
  },
  {
    name: 'stream_nearly_full',
    severity: 'warning',
    page: 'runbooks/StreamNearFull',
    find: ({ workers }) => {
      const full = Object.entries(workers?.streamFullRatio ?? {})
        .filter(([, ratio]) => ratio >= nearlyFullStreamRatio)
        .sort(([, one], [, other]) => other - one)
      const [worst] = full
      if (worst === undefined) return undefined
      return `Stream ${worst[0]} is ${percentText(worst[1])} full: add workers, or raise its max_bytes.`
    },
  },
  {
    name: 'log_grows_old',
    severity: 'warning',
    page: 'runbooks/LagHigh',
    find: ({ ingest }) => {
      if ((ingest?.oldestFrameSeconds ?? 0) <= oldFrameSecondsMax) return undefined
      return `A frame waits in the write-ahead log for ${durationText(ingest?.oldestFrameSeconds ?? 0)}: check that workers run and commit.`
    },
  },
  {
    name: 'quota_away',
    severity: 'warning',
    page: 'runbooks/DependencyAway',
    find: ({ ingest }) => {
      if ((ingest?.quotaAway ?? 0) === 0) return undefined
      return 'Ingest cannot lease quota from Postgres and serves from its allowance: check Postgres.'
    },
  },
  {
    name: 'dead_letters',
    severity: 'warning',
    page: 'runbooks/DeadLetters',
    find: ({ workers }) => {
      const count = total(workers?.deadLetters)
      if (count === 0) return undefined
      return `${countText(count)} dead letters are kept: \`npm run admin -- dead-letter list\`, then retry or delete them.`
    },
  },
  {
    name: 'jobs_failed',
    severity: 'warning',
    page: 'runbooks/JobsFailed',
    find: ({ workers }) => {
      const failed = Object.entries(workers?.jobsFailed ?? {}).filter(([, count]) => count > 0)
      if (failed.length === 0) return undefined
      const list = failed.map(([task, count]) => `${task} ${countText(count)}`).join(', ')
      return `Jobs failed for good (${list}): read the log lines of the workers that name the task.`
    },
  },
  {
    name: 'backup_old',
    severity: 'warning',
    page: 'runbooks/BackupTooOld',
    find: ({ lastBackup, at }) => {
      // Before the first backup there may be another way of making them; the doctor asks about it.
      if (lastBackup === null || lastBackup === 0) return undefined
      const age = Date.parse(at) / 1000 - lastBackup
      if (age <= backupSecondsMax) return undefined
      return `The last backup is ${durationText(age)} old: look at the job that runs \`admin backup create\`.`
    },
  },
  {
    name: 'versions_differ',
    severity: 'warning',
    page: 'operations/upgrade',
    find: ({ processes }) => {
      const versions = [...new Set(processes.flatMap(({ version }) => version ?? []))].sort()
      if (versions.length < 2) return undefined
      return `The processes have versions ${versions.join(' and ')}: finish the upgrade.`
    },
  },
  {
    name: 'quota_used_up',
    severity: 'warning',
    page: 'runbooks/QuotaNearLimit',
    find: ({ quota }) => {
      const over = quota.filter(({ usedRatio }) => usedRatio >= 1)
      if (over.length === 0) return undefined
      const names = over.slice(0, 3).map(({ project }) => project)
      return `${over.length === 1 ? 'A project has' : `${over.length} projects have`} no quota left (${names.join(', ')}): tell its owners, or \`npm run admin -- quota\`.`
    },
  },
]
