/**
 * Lays a snapshot out as lines for a terminal. Pure: size and colour are given. Blocks stand below
 * each other, and in two columns on a wide terminal.
 */
import type { Advice } from './advise.ts'
import { bytesText, countText, durationText, percentText } from './format-numbers.ts'
import { printable } from './printable.ts'
import type { Snapshot } from './snapshot.ts'

export interface ViewOptions {
  readonly columns: number
  /** Undefined: as many lines as there are. */
  readonly rows: number | undefined
  readonly isColored: boolean
  readonly clock: string
}

type Style = 'plain' | 'bold' | 'dim' | 'good' | 'warning' | 'problem'
interface Segment {
  readonly text: string
  readonly style: Style
}
type Line = readonly Segment[]
interface Block {
  readonly lines: readonly Line[]
}

const columnsMin = 40
const twoColumnsMin = 150
const gap = 3
const rowsOfTableMax = 8
const adviceLinesMax = 4

export function renderView(snapshot: Snapshot, advice: Advice, options: ViewOptions): string[] {
  const columns = Math.max(columnsMin, options.columns)
  const head = [headLine(snapshot, options.clock), ...adviceLines(advice, columns), []]
  const blocks = blocksOf(snapshot)
  const body =
    columns >= twoColumnsMin ? inTwoColumns(blocks, columns) : stacked(blocks.map(withSpace))
  const all = [...head, ...body]
  const shown = options.rows === undefined ? all : fitRows(all, options.rows)
  return shown.map((line) => paint(clip(line, columns), options.isColored))
}

function fitRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines
  const kept = Math.max(0, rows - 1)
  const more = `${lines.length - kept} more lines: make the window higher.`
  return [...lines.slice(0, kept), [segment(more, 'dim')]].slice(0, Math.max(1, rows))
}

function segment(text: string, style: Style = 'plain'): Segment {
  return { text, style }
}

function headLine({ processes }: Snapshot, clock: string): Line {
  const ready = processes.filter(({ state }) => state === 'ready').length
  const isGood = ready === processes.length
  const installation = processes.find((one) => one.installation !== null)?.installation
  return [
    segment('Sluice', 'bold'),
    segment('   '),
    segment(`${ready} of ${processes.length} processes ready`, isGood ? 'good' : 'problem'),
    segment(`   ${clock}`),
    ...(installation ? [segment(`   installation ${installation.slice(0, 8)}`, 'dim')] : []),
  ]
}

function adviceLines({ text, runbook, severity }: Advice, columns: number): Line[] {
  const label = 'Advice   '
  const style = severity === 'ok' ? 'good' : severity
  const whole = runbook === null ? text : `${text} See ${runbook}.`
  const lines = wrap(printable(whole, 600), columns - label.length)
  return lines
    .slice(0, adviceLinesMax)
    .map((line, index) => [
      segment(index === 0 ? label : ' '.repeat(label.length), 'bold'),
      segment(line, style),
    ])
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function blocksOf(snapshot: Snapshot): Block[] {
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

function withSpace({ lines }: Block): Block {
  return { lines: [...lines, []] }
}

function stacked(blocks: readonly Block[]): Line[] {
  return blocks.flatMap(({ lines }) => lines).slice(0, -1)
}

/** Fills the left column to about half of all lines. */
function inTwoColumns(blocks: readonly Block[], columns: number): Line[] {
  const width = Math.floor((columns - gap) / 2)
  const half = blocks.reduce((sum, { lines }) => sum + lines.length + 1, 0) / 2
  let used = 0
  const isLeft = blocks.map(({ lines }) => {
    const fits = used < half
    used += lines.length + 1
    return fits
  })
  const left = stacked(blocks.filter((_, index) => isLeft[index]).map(withSpace))
  const right = stacked(blocks.filter((_, index) => !isLeft[index]).map(withSpace))
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const one = clip(left[row] ?? [], width)
    const space = ' '.repeat(width + gap - lengthOf(one))
    return [...one, segment(space), ...clip(right[row] ?? [], width)]
  })
}

type Cell = string | Segment

/** The first column is left-aligned, and so are the named ones; numbers are right-aligned. */
function table(names: readonly string[], rows: readonly (readonly Cell[])[], left = 1): Line[] {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? segment(cell) : cell)),
  )
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => [...(row[column]?.text ?? '')].length)),
  )
  const align = (text: string, column: number) => {
    const width = widths[column] ?? 0
    return column < left ? padEnd(text, width) : text.padStart(width)
  }
  const line = (row: readonly Segment[]): Line =>
    row.flatMap((cell, column) => [
      segment(column === 0 ? '' : '  '),
      { ...cell, text: align(cell.text, column) },
    ])
  return [line(names.map((name) => segment(name, 'dim'))), ...cells.map(line)]
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length))
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

function facts(title: string, entries: readonly Cell[]): Line {
  const parts = entries.flatMap((entry) => [
    segment('   '),
    typeof entry === 'string' ? segment(entry) : entry,
  ])
  return [segment(title.padEnd(9), 'bold'), ...parts.slice(1)]
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
          ? segment(`broker away from ${countText(ingest.brokerAway)}`, 'problem')
          : segment('broker here', 'good'),
        ...(ingest.quotaAway > 0 ? [segment('quota away', 'warning')] : []),
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
    segment(`stream ${percentText(full)}`, full >= 0.8 ? 'warning' : 'plain'),
  ])
  // The latest first, as far as there is room.
  const partitions = workers.partitions
    .toSorted((one, other) => badness(other) - badness(one))
    .slice(0, rowsOfTableMax)
    .toSorted((one, other) => Number(one.partition) - Number(other.partition))
  const rows = partitions.map((one) => [
    printable(one.partition, 10),
    segment(durationText(one.lagSeconds), (one.lagSeconds ?? 0) > 60 ? 'problem' : 'plain'),
    countText(one.lagEvents),
    durationText(one.sinceCommitSeconds),
    segment(durationText(one.stuckSeconds), one.stuckSeconds >= 60 ? 'problem' : 'plain'),
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

function indented(line: Line): Line {
  return [segment('  '), ...line]
}

function moreLine(count: number, what: string): Line[] {
  if (count <= rowsOfTableMax) return []
  return [[segment(`  and ${count - rowsOfTableMax} ${what}`, 'dim')]]
}

function mailBlock({ mail }: Snapshot): Block | undefined {
  if (mail === null) return undefined
  const smtp = mail.smtpAway ? segment('SMTP away', 'problem') : segment('SMTP here', 'good')
  const summary = facts('MAIL', [`${countText(mail.sentPerSecond)} sent/s`, smtp])
  const rows = mail.lanes.map(({ lane, waiting, oldestSeconds }) => [
    lane,
    countText(waiting),
    segment(durationText(oldestSeconds), oldestSeconds > 900 ? 'problem' : 'plain'),
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
  const share = (disk: (typeof disks)[number]) =>
    disk.freeBytes / (disk.sizeBytes || disk.freeBytes || 1)
  const rows = disks
    .toSorted((one, other) => share(one) - share(other))
    .slice(0, rowsOfTableMax)
    .map((disk) => {
      const isFull = share(disk) < 0.05
      const isSoon = disk.fullSeconds !== null && disk.fullSeconds < 86_400
      return [
        `${disk.folder}`,
        printable(disk.process, 28),
        segment(bytesText(disk.freeBytes), isFull ? 'problem' : 'plain'),
        bytesText(disk.sizeBytes),
        segment(
          disk.fullSeconds === null ? 'does not fill' : durationText(disk.fullSeconds),
          isSoon ? 'warning' : 'plain',
        ),
      ]
    })
  const lines = table(['DISK', 'PROCESS', 'FREE', 'SIZE', 'FULL IN'], rows, 2)
  return { lines: [...lines, ...moreLine(disks.length, 'disks with more space')] }
}

function clockBlock({ clocks, lastBackup, at }: Snapshot): Block | undefined {
  const offsets = clocks.slice(0, rowsOfTableMax).map(({ process, offsetSeconds }) => {
    const text = `${printable(process, 28)} ${offsetSeconds > 0 ? '+' : ''}${durationText(offsetSeconds)}`
    return segment(text, Math.abs(offsetSeconds) > 60 ? 'problem' : 'plain')
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

function lengthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + [...text].length, 0)
}

function clip(line: Line, columns: number): Line {
  if (lengthOf(line) <= columns) return line
  const clipped: Segment[] = []
  let room = columns - 1
  for (const { text, style } of line) {
    const characters = [...text]
    if (room <= 0) break
    clipped.push({ text: characters.slice(0, room).join(''), style })
    room -= characters.length
  }
  return [...clipped, segment('…')]
}

const codes = {
  bold: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[32m',
  warning: '\u001b[33m',
  problem: '\u001b[1;31m',
} as const

function paint(line: Line, isColored: boolean): string {
  const text = line
    .map(({ text, style }) => {
      if (!isColored || style === 'plain' || text.trim() === '') return text
      return `${codes[style]}${text}\u001b[0m`
    })
    .join('')
  return isColored ? text : text.trimEnd()
}
