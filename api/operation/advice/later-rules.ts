/** What can wait until tomorrow. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import type { DiskState, Snapshot } from '../processes/snapshot.ts'
import { countText, durationText, percentText } from '../text/format-numbers.ts'
import { type AdviceRule, isDisk, worst } from './advice-rule.ts'

/** A frame is usually committed within seconds. */
const oldFrameSecondsMax = 60
/** Offsets that differ by less are measurements of one error. */
const sameOffsetSeconds = 30

export const laterRules: readonly AdviceRule[] = [
  {
    name: 'clock_offset',
    severity: 'problem',
    page: 'runbooks/ClockOffset',
    find: ({ clocks }) => {
      const size = (clock: { offsetSeconds: number }) => Math.abs(clock.offsetSeconds)
      const off = worst(clocks, size, faultLimits.clockOffsetSeconds)
      if (off === undefined) return undefined
      const direction = off.offsetSeconds > 0 ? 'ahead of' : 'behind'
      const offset = `${durationText(Math.abs(off.offsetSeconds))} ${direction}`
      if (haveSameOffset(clocks)) {
        return `All processes are ${offset} Postgres: set its clock (timedatectl set-ntp true), or that of their machine if they all run on one.`
      }
      return `The clock of ${off.process} is ${offset} Postgres: set the clock of its machine (timedatectl set-ntp true). Events get the time of Postgres meanwhile.`
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
    name: 'disk_full_soon',
    severity: 'warning',
    page: 'runbooks/DiskFullSoon',
    find: ({ disks }) => {
      const remaining = ({ fullSeconds }: DiskState) => fullSeconds && -fullSeconds
      const first = worst(disks.filter(isDisk), remaining, -faultLimits.diskFullSeconds)
      if (first === undefined) return undefined
      return `The disk of ${first.folder} (seen by ${first.process}) is full in ${durationText(first.fullSeconds)}: free space or enlarge it.`
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
      const limit = faultLimits.streamFullRatio
      const all = Object.entries(workers?.streamFullRatio ?? {})
      const full = worst(
        all.filter(([, ratio]) => ratio >= limit),
        ([, ratio]) => ratio,
      )
      if (full === undefined) return undefined
      return `Stream ${full[0]} is ${percentText(full[1])} full: add workers, or raise its max_bytes.`
    },
  },
  {
    name: 'log_grows_old',
    severity: 'warning',
    page: 'runbooks/LogNotDrained',
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
      if (age <= faultLimits.backupAgeSeconds) return undefined
      return `The last backup is ${durationText(age)} old: run \`npm run admin -- backup create --to PLACE\`, and look at the job that should have.`
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
      return `${over.length === 1 ? 'A project has' : `${over.length} projects have`} no quota left (${names.join(', ')}): tell its owners, or raise it with \`npm run admin -- quota update\`.`
    },
  },
]

function total(counts: Readonly<Record<string, number>> | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
}

/** One wrong machine differs from the others; a wrong Postgres differs from all of them equally. */
function haveSameOffset(clocks: Snapshot['clocks']): boolean {
  const offsets = clocks.map(({ offsetSeconds }) => offsetSeconds)
  return clocks.length > 1 && Math.max(...offsets) - Math.min(...offsets) < sameOffsetSeconds
}
