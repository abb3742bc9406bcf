/** Formats the measurements as Markdown, for the terminal or RESULTS.md. */
import type { DigestCost } from '../digest/digest-cost.ts'
import type { IdCheck } from '../load/check-ids.ts'
import { workloadShapes } from '../load/workload.ts'
import type { PipelineResult } from '../measure-pipeline.ts'
import { type Comparison, isOurIngest, serverNames } from '../servers/compare-servers.ts'
import type { Measurement, ProcessMeasurement } from '../servers/measure-load.ts'
import type { Machine } from './machine.ts'
import type { ProfileSummary } from './summarize-profile.ts'
import type { Verdict } from './targets.ts'

export interface BenchReport {
  readonly command: string
  readonly atIso: string
  readonly machine: Machine
  readonly comparisons: readonly Comparison[]
  readonly pipeline: PipelineResult | undefined
  readonly digest: readonly DigestCost[]
  readonly profiles: Readonly<Record<string, ProfileSummary>>
  readonly verdicts: readonly Verdict[]
}

export function reportMarkdown(report: BenchReport): string {
  const { machine } = report
  const sections = [
    `\`${report.command}\`, ${report.atIso.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores shared by generator, services and engines, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}.`,
    verdictTable(report.verdicts),
    ...(report.comparisons.length === 0 ? [] : comparisonSections(report.comparisons)),
    ...(report.pipeline === undefined ? [] : pipelineSections(report.pipeline)),
    ...(report.digest.length === 0 ? [] : digestSections(report.digest)),
    ...Object.entries(report.profiles).map(([name, summary]) => profileSection(name, summary)),
  ]
  return `${sections.join('\n\n')}\n`
}

function verdictTable(verdicts: readonly Verdict[]): string {
  return table(
    ['Target', 'Wanted', 'Measured', ''],
    verdicts.map(({ what, wanted, measured, reached }) => [
      what,
      wanted,
      measured,
      reached ? '**reached**' : '**missed**',
    ]),
  )
}

function comparisonSections(comparisons: readonly Comparison[]): string[] {
  const rows = comparisons.flatMap(({ kind, servers, ...comparison }) =>
    serverNames.map((name) => {
      const server = servers[name]
      const isIngest = isOurIngest(name)
      const ratio = isIngest
        ? `${comparison.ratioToUws[name].toFixed(2)} / ${comparison.ratioToNode[name].toFixed(2)}`
        : ''
      const byCpu = isIngest ? cpuRatio(servers['bare uWS'], server) : ''
      const own = server.processes[0]
      return [
        workloadShapes[kind].label,
        name,
        thousands(server.requestsPerSecond),
        thousands(server.eventsPerSecond),
        ratio,
        byCpu,
        milliseconds(server.p50Us),
        milliseconds(server.p99Us),
        server.processes.map((each) => each.cpuUsPerEvent.toFixed(1)).join(' + '),
        own === undefined ? '' : own.busy.toFixed(2),
        own === undefined ? '' : megabytes(own.memory.peakBytes),
        microseconds(server.generatorCpuUsPerRequest),
        answers(server),
      ]
    }),
  )
  const header = [
    'Workload',
    'Server',
    'Requests/s',
    'Events/s',
    'Ratio to uWS / node:http',
    'Ratio to uWS by CPU',
    'p50 ms',
    'p99 ms',
    'CPU µs/event',
    'Cores',
    'MB',
    'Generator µs/request',
    'Answers',
  ]
  return [
    '### Ingest with durable acknowledgement, compared with bare servers',
    'Closed loop, servers in turn, medians. CPU of ingest is ingest + nats-server. If a bare server used less than 0.9 cores, the generator was the bottleneck and the ratio is too high.',
    table(header, rows),
    ...comparisons.map(
      ({ kind, check }) =>
        `${workloadShapes[kind].label}, answers compared with records on the bus: ${idLine(check)}`,
    ),
  ]
}

/** Events per core of the ingest process, relative to events per core of the bare server. */
function cpuRatio(bare: Measurement, ingest: Measurement): string {
  const [theirs, ours] = [bare.processes[0]?.cpuUsPerEvent, ingest.processes[0]?.cpuUsPerEvent]
  return theirs === undefined || !ours ? 'n/a' : (theirs / ours).toFixed(2)
}

function pipelineSections({ bursts, held, ids, accounting }: PipelineResult): string[] {
  const rows = bursts.map(({ kind, load, queryableSeconds, queryableEventsPerSecond }) => [
    workloadShapes[kind].label,
    thousands(load.events),
    thousands(load.eventsPerSecond),
    `**${thousands(queryableEventsPerSecond)}**`,
    queryableSeconds.toFixed(1),
    milliseconds(load.p50Us),
    milliseconds(load.p99Us),
    answers(load),
  ])
  const header = [
    'Workload',
    'Events',
    'Answered/s',
    'Queryable/s',
    'Seconds',
    'p50 ms',
    'p99 ms',
    'Answers',
  ]
  const sections = [
    '### End to end',
    'Sent as fast as ingest accepts them; measured until the last event is stored and counted on its issue.',
    table(header, rows),
    ...bursts.map(
      ({ kind, load }) => `${workloadShapes[kind].label}:\n\n${processTable(load.processes)}`,
    ),
  ]
  if (held !== undefined) {
    sections.push(
      `### A constant rate of ${thousands(held.eventsPerSecond)} events/s for ${Math.round(held.load.seconds)} s`,
      `Open loop: the wait for a free connection counts as latency. p50 ${milliseconds(held.load.p50Us)} ms, p99 ${milliseconds(held.load.p99Us)} ms, everything queryable ${held.lagSeconds.toFixed(1)} s after the last answer. ${answers(held.load)}.`,
      processTable(held.load.processes),
    )
  }
  const fault = accounting.faults.length === 0 ? 'all counts agree' : accounting.faults.join('; ')
  sections.push(
    `Answers compared with rows: ${idLine(ids)}`,
    `Rows ${thousands(accounting.rows)}, issues ${accounting.issueCount}, outcomes accepted ${thousands(accounting.accepted)}: ${fault}.`,
  )
  return sections
}

function digestSections(costs: readonly DigestCost[]): string[] {
  const rows = costs.map(({ kb, floorUs, us, ratio }) => [
    `${kb} KB`,
    floorUs.toFixed(1),
    us.toFixed(1),
    ratio.toFixed(2),
  ])
  return [
    '### The digest alone',
    '`digestRange` in a thread, relative to `JSON.parse` and `JSON.stringify` of the same bytes, which every design of this kind has to pay.',
    table(['Event', 'JSON, µs', 'Digest, µs', 'Ratio'], rows),
  ]
}

function processTable(processes: readonly ProcessMeasurement[]): string {
  return table(
    ['Process', 'CPU µs/event', 'Cores', 'Peak MB', 'MB/min'],
    processes.map(({ name, cpuUsPerEvent, busy, memory }) => [
      name,
      cpuUsPerEvent.toFixed(1),
      busy.toFixed(2),
      megabytes(memory.peakBytes),
      (memory.bytesPerMinute / 1e6).toFixed(1),
    ]),
  )
}

function profileSection(name: string, { busyUs, lines }: ProfileSummary): string {
  const heading = `### CPU profile of ${name} (${(busyUs / 1e6).toFixed(1)} s busy)`
  const rows = lines.map((line) => [`${(line.share * 100).toFixed(1)} %`, `\`${line.name}\``])
  return `${heading}\n\n${table(['Self', 'Function'], rows)}`
}

export function idLine(check: IdCheck): string {
  const exact = check.missing + check.duplicates + check.foreign === 0
  const counts = `${thousands(check.stored)} stored, ${check.missing} missing, ${check.duplicates} duplicates, ${check.foreign} foreign, ${check.unanswered} without a 200`
  const examples = check.examples.length === 0 ? '' : ` (${check.examples.join(', ')})`
  return `${exact ? 'exact' : '**wrong**'}: ${counts}${examples}.`
}

function answers({ answers }: Measurement): string {
  return Object.entries(answers)
    .map(([status, count]) => `${status}: ${thousands(count)}`)
    .join(', ')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}

function thousands(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}

function milliseconds(us: number): string {
  return (us / 1000).toFixed(2)
}

function microseconds(us: number | undefined): string {
  return us === undefined ? 'n/a' : us.toFixed(1)
}

function megabytes(bytes: number): string {
  return bytes === 0 ? 'n/a' : String(Math.round(bytes / 1e6))
}
