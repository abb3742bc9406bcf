/** The blocks of the view, one for each part of a snapshot. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import type { DiskState, Snapshot } from '../../../operation/processes/snapshot.ts'
import {
  bytesText,
  countText,
  durationText,
  percentText,
} from '../../../operation/text/format-numbers.ts'
import { printable } from '../../../operation/text/printable.ts'
import { facts, type Line, segment, table } from './styled-lines.ts'

export interface Block {
  readonly lines: readonly Line[]
}

const rowsOfTableMax = 8

/** A part that no process reports has no block. */
export function blocksOf(snapshot: Snapshot): Block[] {
  return [
    processBlock(snapshot),
    ingestBlock(snapshot),
    workersBlock(snapshot),
    mailBlock(snapshot),
    dropsBlock(snapshot),
    quotaBlock(snapshot),
    diskBlock(snapshot),
    clockBlock(snapshot),
  ].filter((block) => block !== undefined)
}

const stateStyles = {
  ready: 'good',
  'not ready': 'problem',
  'does not answer': 'problem',
  unknown: 'warning',
} as const

function processBlock({ processes }: Snapshot): Block {
  const rows = processes.map((one) => [
    printable(one.name, 28),
    segment(one.state, stateStyles[one.state]),
    one.version ?? '-',
    durationText(one.uptimeSeconds),
    percentText(one.cpuCores),
    bytesText(one.memoryBytes),
  ])
  const lines = table(['PROCESS', 'STATE', 'VERSION', 'UP', 'CPU', 'MEMORY'], rows, 3)
  const [head = [], ...others] = lines
  // The reason stands below the process, because it may be long.
  const withReasons = others.flatMap((line, index) => {
    const reasons = processes[index]?.reasons ?? []
    if (reasons.length === 0) return [line]
    return [line, [segment(`  ${reasons.map((reason) => printable(reason)).join('; ')}`, 'dim')]]
  })
  return { lines: [head, ...withReasons] }
}

function ingestBlock({ ingest }: Snapshot): Block | undefined {
  if (ingest === null) return undefined
  const { requestsPerSecond: replies } = ingest
  const all = Object.values(replies ?? {}).reduce((sum, rate) => sum + rate, 0)
  const classes = Object.entries(replies ?? {}).filter(([name, rate]) => rate > 0 || name === '2xx')
  const log = `log ${bytesText(ingest.logBytes)}${ingest.logLimitBytes === null ? '' : ` of ${bytesText(ingest.logLimitBytes)}`}`
  const oldest =
    ingest.oldestFrameSeconds === null
      ? []
      : [`oldest frame ${durationText(ingest.oldestFrameSeconds)}`]
  return {
    lines: [
      facts('INGEST', [
        `${countText(replies === null ? null : all)} requests/s`,
        ...classes.map(([name, rate]) =>
          segment(`${name} ${countText(rate)}`, name === '5xx' ? 'problem' : 'plain'),
        ),
        `${countText(ingest.framesPerSecond)} frames/s`,
        `${countText(ingest.requestsPending)} pending`,
      ]),
      facts('', [
        log,
        ...oldest,
        ingest.brokerAway > 0
          ? segment(`NATS away from ${countText(ingest.brokerAway)}`, 'problem')
          : segment('NATS ok', 'good'),
        ...(ingest.quotaAway > 0 ? [segment('no quota leases', 'warning')] : []),
      ]),
    ],
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function workersBlock({ workers }: Snapshot): Block | undefined {
  if (workers === null) return undefined
  const deadCount = sumOf(workers.deadLetters)
  const failed = sumOf(workers.jobsFailed)
  const full = Math.max(0, ...Object.values(workers.streamFullRatio))
  const summary = facts('WORKERS', [
    `${countText(workers.eventsPerSecond)} events/s`,
    segment(`${countText(deadCount)} dead letters`, deadCount > 0 ? 'warning' : 'plain'),
    `jobs ${countText(sumOf(workers.jobsWaiting))} waiting`,
    segment(`${countText(failed)} failed`, failed > 0 ? 'warning' : 'plain'),
    segment(
      `stream ${percentText(full)}`,
      full >= faultLimits.streamFullRatio ? 'warning' : 'plain',
    ),
  ])
  // The latest first, as far as there is room.
  const partitions = workers.partitions
    .toSorted((one, other) => badness(other) - badness(one))
    .slice(0, rowsOfTableMax)
    .toSorted((one, other) => Number(one.partition) - Number(other.partition))
  const rows = partitions.map((one) => [
    printable(one.partition, 10),
    segment(
      durationText(one.lagSeconds),
      (one.lagSeconds ?? 0) > faultLimits.lagSeconds ? 'problem' : 'plain',
    ),
    countText(one.lagEvents),
    durationText(one.sinceCommitSeconds),
    segment(
      durationText(one.stuckSeconds),
      one.stuckSeconds >= faultLimits.stuckSeconds ? 'problem' : 'plain',
    ),
    one.storeFault ? segment('refuses', 'problem') : 'ok',
  ])
  const names = ['PARTITION', 'LAG', 'EVENTS', 'LAST COMMIT', 'STUCK', 'STORES']
  const lines = rows.length === 0 ? [] : table(names, rows).map(indented)
  return {
    lines: [summary, ...lines, ...moreLine(workers.partitions.length, 'partitions with less lag')],
  }
}

function badness(one: { lagSeconds: number | null; stuckSeconds: number }): number {
  return Math.max(one.lagSeconds ?? 0, one.stuckSeconds)
}

function mailBlock({ mail }: Snapshot): Block | undefined {
  if (mail === null) return undefined
  const smtp = mail.smtpAway ? segment('SMTP away', 'problem') : segment('SMTP ok', 'good')
  const summary = facts('MAIL', [`${countText(mail.sentPerSecond)} sent/s`, smtp])
  const rows = mail.lanes.map(({ lane, waiting, oldestSeconds }) => [
    lane,
    countText(waiting),
    segment(
      durationText(oldestSeconds),
      oldestSeconds > faultLimits.oldestEmailSeconds ? 'problem' : 'plain',
    ),
  ])
  const shown = rows.slice(0, rowsOfTableMax)
  const lines = rows.length === 0 ? [] : table(['LANE', 'WAITING', 'OLDEST'], shown).map(indented)
  return { lines: [summary, ...lines] }
}

function dropsBlock({ dropsPerMinute }: Snapshot): Block | undefined {
  if (dropsPerMinute.length === 0) return undefined
  const rows = dropsPerMinute
    .slice(0, rowsOfTableMax)
    .map(({ outcome, reason, perMinute }) => [outcome, reason, countText(perMinute)])
  const lines = table(['DROPPED', 'REASON', 'PER MINUTE'], rows, 2)
  return { lines: [...lines, ...moreLine(dropsPerMinute.length, 'reasons')] }
}

function quotaBlock({ quota }: Snapshot): Block | undefined {
  if (quota.length === 0) return undefined
  const rows = quota
    .slice(0, rowsOfTableMax)
    .map(({ project, usedRatio }) => [
      project,
      segment(percentText(usedRatio), usedRatio >= 1 ? 'warning' : 'plain'),
    ])
  return { lines: table(['QUOTA OF PROJECT', 'USED'], rows) }
}

function diskBlock({ disks }: Snapshot): Block | undefined {
  if (disks.length === 0) return undefined
  const share = (disk: DiskState) => disk.freeBytes / (disk.sizeBytes || disk.freeBytes || 1)
  const seenBy = new Map<string, string[]>()
  const rowsOfDisks = disks
    .toSorted((one, other) => share(one) - share(other))
    .flatMap((disk) => {
      const { folder, freeBytes, sizeBytes, fullSeconds } = disk
      const full = fullSeconds === null ? 'does not fill' : durationText(fullSeconds)
      const key = JSON.stringify([folder, bytesText(freeBytes), bytesText(sizeBytes), full])
      const processes = seenBy.get(key)
      // Processes on one machine see the same disk.
      if (processes !== undefined) {
        processes.push(disk.process)
        return []
      }
      seenBy.set(key, [disk.process])
      const isFull = share(disk) < faultLimits.diskFreeRatio
      const isSoon = fullSeconds !== null && fullSeconds < faultLimits.diskFullSeconds
      return [
        {
          key,
          free: segment(bytesText(freeBytes), isFull ? 'problem' : 'plain'),
          size: bytesText(sizeBytes),
          full: segment(full, isSoon ? 'warning' : 'plain'),
          folder,
        },
      ]
    })
  const rows = rowsOfDisks
    .slice(0, rowsOfTableMax)
    .map(({ key, folder, free, size, full }) => [
      folder,
      printable((seenBy.get(key) ?? []).join(', '), 28),
      free,
      size,
      full,
    ])
  const lines = table(['STORAGE', 'SEEN BY', 'FREE', 'SIZE', 'FULL IN'], rows, 2)
  return { lines: [...lines, ...moreLine(rowsOfDisks.length, 'storages with more space')] }
}

function clockBlock({ clocks, lastBackup, at }: Snapshot): Block | undefined {
  const offsets = clocks.slice(0, rowsOfTableMax).map(({ process, offsetSeconds }) => {
    const text = `${printable(process, 28)} ${offsetSeconds > 0 ? '+' : ''}${durationText(offsetSeconds)}`
    return segment(
      text,
      Math.abs(offsetSeconds) > faultLimits.clockOffsetSeconds ? 'problem' : 'plain',
    )
  })
  const age = lastBackup ? Date.parse(at) / 1000 - lastBackup : undefined
  const lines = [
    ...(offsets.length === 0 ? [] : [facts('CLOCKS', offsets)]),
    ...(lastBackup === null
      ? []
      : [facts('BACKUP', [age === undefined ? 'none yet' : `${durationText(age)} ago`])]),
  ]
  return lines.length === 0 ? undefined : { lines }
}

function indented(line: Line): Line {
  return [segment('  '), ...line]
}

function moreLine(count: number, what: string): Line[] {
  if (count <= rowsOfTableMax) return []
  return [[segment(`  and ${count - rowsOfTableMax} ${what}`, 'dim')]]
}
