/**
 * `npm run bench:ingest`: compares ingest with bare servers, then measures the product end to end,
 * compares every answer with what is stored, and prints a report in Markdown. Exits with 1 if an
 * event was lost or duplicated, or if counts disagree; a missed target is only reported.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { systemClock } from '#platform/clock.ts'
import { projectRoot } from '#platform/project-root.ts'
import { startBenchStack, stopOnInterrupt } from './bench-stack.ts'
import { type DigestCost, measureDigest } from './digest/digest-cost.ts'
import { idsAreExact } from './load/check-ids.ts'
import { type WorkloadKind, workloadKinds, workloadShapes } from './load/workload.ts'
import { measurePipeline, type PipelineResult } from './measure-pipeline.ts'
import { type CpuByProcess, cpuChart } from './report/cpu-chart.ts'
import { describeMachine } from './report/machine.ts'
import { wholeNumber } from './report/parse-option.ts'
import { createProgress, type Progress } from './report/progress.ts'
import { type BenchReport, reportMarkdown } from './report/report.ts'
import type { ProfileSummary } from './report/summarize-profile.ts'
import { judge } from './report/targets.ts'
import { withResults } from './report/write-results.ts'
import { type Comparison, compareServers, profileIngest } from './servers/compare-servers.ts'

interface Flags {
  readonly seconds: number
  readonly rounds: number
  readonly events: number
  readonly heldSeconds: number
  readonly connections: number
  readonly seed: number
  readonly only?: readonly (WorkloadKind | 'pipeline' | 'digest')[]
  readonly quick: boolean
  readonly profile: boolean
  readonly json: boolean
  readonly write?: string
}

const digestRounds = 9
const FormerCpu = z.object({
  measured: z.string(),
  us: z.record(z.string(), z.record(z.string(), z.number())),
})

const command = new Command('bench:ingest')
  .description(
    'Measure ingest and the whole pipeline, and check that no event is lost or duplicated.',
  )
  .option('--seconds <n>', 'seconds of each round of a server', wholeNumber(1, 600), 5)
  .option('--rounds <n>', 'rounds of each server and workload', wholeNumber(1, 50), 3)
  .option(
    '--events <n>',
    'events of the end-to-end runs; fewer large ones',
    wholeNumber(1_000, 10_000_000),
    200_000,
  )
  .option('--held-seconds <n>', 'seconds at a constant rate, 0 to skip', wholeNumber(0, 3_600), 60)
  .option('--connections <n>', 'connections of the generator', wholeNumber(1, 256), 256)
  .option('--seed <n>', 'seed of the workload', wholeNumber(0, 2 ** 31), 1)
  .addOption(
    new Option('--only <part...>', 'run only these parts').choices([
      ...workloadKinds,
      'pipeline',
      'digest',
    ]),
  )
  .option('--quick', 'one short round of everything, to check that it works', false)
  .option('--profile', 'also take CPU profiles of the first end-to-end run', false)
  .option('--json', 'print the report as JSON', false)
  .option(
    '--write <file>',
    'also write the report into a page such as bench/RESULTS.md, and a chart beside it',
  )

await main(command.parse().opts<Flags>())

async function main(given: Flags): Promise<void> {
  const flags = given.quick ? quicker(given) : given
  // Standard output contains only the report.
  const progress = createProgress(process.stderr)
  const { comparisons, ingestProfile } = await measureServers(flags, progress)
  const pipeline = await measureWhole(flags, progress)
  const digest = await measureDigestAlone(flags, progress)
  progress.end()

  const report: BenchReport = {
    command: commandLine(process.argv.slice(2)),
    atIso: new Date(systemClock.nowMs()).toISOString(),
    machine: describeMachine(),
    comparisons,
    pipeline,
    digest,
    profiles: {
      ...(ingestProfile === undefined ? {} : { 'ingest alone': ingestProfile }),
      ...pipeline?.profiles,
    },
    verdicts: judge({ comparisons, pipeline, digest }),
  }
  const markdown = reportMarkdown(report)
  process.stdout.write(flags.json ? `${JSON.stringify(report, undefined, 2)}\n` : `\n${markdown}`)
  if (flags.write !== undefined) {
    await writeFile(flags.write, withResults(await readFile(flags.write, 'utf8'), markdown))
    if (pipeline !== undefined) await writeChart(flags.write, pipeline)
  }
  if (!isExact(comparisons, pipeline)) {
    progress.line('Events were lost, duplicated or miscounted: see the checks above.')
    process.exitCode = 1
  }
}

/** Replaces defaults by small values; options that were set keep their values. */
function quicker(flags: Flags): Flags {
  const isDefault = (name: keyof Flags): boolean => command.getOptionValueSource(name) === 'default'
  return {
    ...flags,
    ...(isDefault('seconds') ? { seconds: 1 } : {}),
    ...(isDefault('rounds') ? { rounds: 1 } : {}),
    ...(isDefault('events') ? { events: 10_000 } : {}),
    ...(isDefault('heldSeconds') ? { heldSeconds: 5 } : {}),
  }
}

interface Compared {
  readonly comparisons: readonly Comparison[]
  readonly ingestProfile: ProfileSummary | undefined
}

async function measureServers(flags: Flags, progress: Progress): Promise<Compared> {
  const kinds = workloadKinds.filter((kind) => flags.only?.includes(kind) ?? true)
  if (kinds.length === 0) return { comparisons: [], ingestProfile: undefined }
  progress.line('Starting ingest and its engines.')
  const { profile } = flags
  const bench = await startBenchStack({ services: ['ingest'], onProgress: progress.line, profile })
  const release = stopOnInterrupt(bench)
  try {
    const options = { ...flags, kinds, progress, nowMs: systemClock.nowMs() }
    const comparisons = await compareServers(bench, options)
    const { ingest } = await profileIngest(bench, options)
    return { comparisons, ingestProfile: ingest }
  } finally {
    release()
    await bench.stop()
  }
}

async function measureWhole(flags: Flags, progress: Progress): Promise<PipelineResult | undefined> {
  if (flags.only?.includes('pipeline') === false) return undefined
  progress.line('Starting the whole product.')
  const { profile } = flags
  const services = ['ingest', 'workers'] as const
  const bench = await startBenchStack({ services, onProgress: progress.line, profile })
  const release = stopOnInterrupt(bench)
  try {
    const nowMs = systemClock.nowMs()
    const kinds = ['1k', '10k', '50k', 'batch'] as const
    return await measurePipeline(bench, { ...flags, kinds, progress, nowMs })
  } finally {
    release()
    await bench.stop()
  }
}

async function measureDigestAlone(
  flags: Flags,
  progress: Progress,
): Promise<readonly DigestCost[]> {
  if (flags.only?.includes('digest') === false) return []
  progress.line('Measuring the digest alone.')
  return measureDigest(flags.quick ? 1 : digestRounds)
}

/** The former figures are those of bench/before.json. */
async function writeChart(page: string, { bursts }: PipelineResult): Promise<void> {
  const before = FormerCpu.parse(
    JSON.parse(await readFile(join(projectRoot, 'bench/before.json'), 'utf8')),
  )
  const groups = bursts.flatMap(({ kind, load }) => {
    const former = before.us[kind]
    if (former === undefined) return []
    const now: CpuByProcess = Object.fromEntries(
      load.processes.map(({ name, cpuUsPerEvent }) => [name, cpuUsPerEvent]),
    )
    return [{ label: workloadShapes[kind].label, before: former, now }]
  })
  const chart = cpuChart({ beforeLabel: before.measured, nowLabel: 'now', groups })
  await writeFile(join(dirname(page), 'cpu-by-process.svg'), chart)
}

function isExact(
  comparisons: readonly Comparison[],
  pipeline: PipelineResult | undefined,
): boolean {
  if (!comparisons.every(({ check }) => idsAreExact(check))) return false
  return (
    pipeline === undefined || (idsAreExact(pipeline.ids) && pipeline.accounting.faults.length === 0)
  )
}

function commandLine(args: readonly string[]): string {
  return ['npm run bench:ingest', ...(args.length === 0 ? [] : ['--', ...args])].join(' ')
}
