/**
 * Measures the CPU time per event of each kind of process, on several layouts of the product in
 * turn (docs/scaling.md): `npm run build && node dist/bench/bench-scaling.js`.
 */
import { Command, Option } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { type LocalCluster, startCluster } from '../dev/nats-cluster.ts'
import { type SecondProcess, startSecond } from '../dev/second-process.ts'
import { type Stack, startStack } from '../dev/stack.ts'
import type { ServiceName } from '../dev/stack-settings.ts'
import { type BenchProject, fillIssues, makeProjects } from './fill-stores.ts'
import { checkIds, idsAreExact } from './load/check-ids.ts'
import { type Generator, startGenerator } from './load/generator.ts'
import type { LoadResult } from './load/load.ts'
import { newRunId } from './load/run-id.ts'
import { type WorkloadKind, workloadKinds, workloadShapes } from './load/workload.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'
import { readProcessUsage } from './report/process-usage.ts'
import { openStoredEvents, type StoredEvents } from './stored-events.ts'

interface Layout {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** Services of which a second process is started. */
  readonly second?: readonly ServiceName[]
  /** Number of issues that the project has beforehand. */
  readonly issueCount?: number
  /** Number of projects, and how many of them receive the load in turn. Undefined: all of them. */
  readonly projectCount?: number
  readonly busyCount?: number
  /** Uses a cluster of three nodes instead of one server. */
  readonly cluster?: true
}

const nodes = {
  ...{ INGEST_PARTITIONS: '6', INGEST_STREAMS: '3' },
  // With three replicas, every node stores all streams.
  INGEST_STREAM_BYTES_MAX: String(2 ** 30),
}
const layouts: readonly Layout[] = [
  { name: '4 partitions', env: {} },
  { name: '16 partitions', env: { INGEST_PARTITIONS: '16' } },
  {
    name: '16 partitions in 4 streams',
    env: { INGEST_PARTITIONS: '16', INGEST_STREAMS: '4' },
  },
  { name: '2 ingest', env: {}, second: ['ingest'] },
  { name: '2 workers', env: {}, second: ['workers'] },
  { name: '10^3 issues', env: {}, issueCount: 1_000 },
  { name: '10^6 issues', env: {}, issueCount: 1_000_000 },
  { name: '10 projects', env: {}, projectCount: 10 },
  { name: '10^4 projects, 10 busy', env: {}, projectCount: 10_000, busyCount: 10 },
  { name: '10^4 projects', env: {}, projectCount: 10_000 },
  { name: '3 nodes, 1 copy', env: { ...nodes }, cluster: true },
  { name: '3 nodes, 3 copies', env: { ...nodes, INGEST_STREAM_REPLICAS: '3' }, cluster: true },
]

interface Flags {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly rate: number
  readonly kind: WorkloadKind
  readonly only?: readonly string[]
}

const kinds = ['ingest', 'workers', 'nats', 'postgres', 'clickhouse'] as const
type Kind = (typeof kinds)[number]

interface Row {
  readonly eventsPerSecond: number
  readonly cpuUsPerEvent: Readonly<Record<Kind, number>>
  readonly lagSeconds: number
  readonly areExact: boolean
}

const pollMs = 100
const stallMsMax = 60_000

const command = new Command('bench-scaling')
  .description('Measure the CPU time per event of several layouts of the product.')
  .option('--seconds <n>', 'seconds of each load', wholeNumber(1, 600), 8)
  .option('--rounds <n>', 'rounds of each layout, in turn', wholeNumber(1, 20), 3)
  .option(
    '--connections <n>',
    'connections, divided over all ingest processes',
    wholeNumber(2, 256),
    128,
  )
  .option('--rate <n>', 'requests per second, 0 for the maximum', wholeNumber(0, 1e6), 0)
  .addOption(new Option('--kind <kind>', 'kind of request').choices(workloadKinds).default('1k'))
  .option('--only <name...>', `of ${layouts.map(({ name }) => `"${name}"`).join(', ')}`)

await main(command.parse().opts<Flags>())

async function main(flags: Flags): Promise<void> {
  const wanted = layouts.filter(({ name }) => flags.only?.includes(name) ?? true)
  const rows = new Map<string, Row[]>(wanted.map(({ name }) => [name, []]))
  for (let round = 1; round <= flags.rounds; round += 1) {
    for (const layout of wanted) {
      process.stderr.write(`round ${round}: ${layout.name}\n`)
      rows.get(layout.name)?.push(await measure(layout, flags))
    }
  }
  process.stdout.write(table(rows))
  if ([...rows.values()].flat().some(({ areExact }) => !areExact)) process.exitCode = 1
}

async function measure(layout: Layout, flags: Flags): Promise<Row> {
  let cluster: LocalCluster | undefined
  let stack: Stack | undefined
  const seconds: SecondProcess[] = []
  try {
    cluster = layout.cluster && (await startCluster())
    const env = { ...layout.env, ...(cluster === undefined ? {} : { NATS_URL: cluster.url }) }
    stack = await startStack({ env, services: ['ingest', 'workers'] })
    const { dsnId } = stack.demo
    if (layout.issueCount !== undefined) {
      await fillIssues(stack.urls.postgres, dsnId, layout.issueCount)
    }
    const projects =
      layout.projectCount === undefined
        ? undefined
        : (await makeProjects(stack.urls.postgres, dsnId, layout.projectCount)).slice(
            0,
            layout.busyCount,
          )
    for (const name of layout.second ?? []) seconds.push(await startSecond(stack, name, env))
    return await load({ stack, cluster, seconds, second: layout.second ?? [], projects }, flags)
  } finally {
    await Promise.all(seconds.map(({ process }) => process.stop()))
    await stack?.stop()
    await cluster?.stop()
  }
}

interface Running {
  readonly stack: Stack
  readonly cluster: LocalCluster | undefined
  readonly seconds: readonly SecondProcess[]
  readonly second: readonly ServiceName[]
  readonly projects: readonly BenchProject[] | undefined
}

/** CPU milliseconds by kind of process. */
function cpuByKind({ stack, cluster, seconds, second }: Running): Record<Kind, number> {
  const { ingest, workers } = stack.services
  const { nats, postgres, clickhouse } = stack.engines
  const pids: [Kind, number | undefined][] = [
    ['ingest', ingest.pid],
    ['workers', workers.pid],
    ['nats', nats.pid],
    ['postgres', postgres.pid],
    ['clickhouse', clickhouse.pid],
    ...(cluster?.nodes ?? []).map(({ pid }): [Kind, number | undefined] => ['nats', pid]),
    ...seconds.map(({ process }, at): [Kind, number | undefined] => [
      second[at] === 'ingest' ? 'ingest' : 'workers',
      process.pid,
    ]),
  ]
  const sums = { ingest: 0, workers: 0, nats: 0, postgres: 0, clickhouse: 0 }
  for (const [kind, pid] of pids) {
    if (pid !== undefined) sums[kind] += readProcessUsage(pid)?.cpuMs ?? 0
  }
  return sums
}

async function load(running: Running, flags: Flags): Promise<Row> {
  const { stack, second, seconds, projects } = running
  const stored = openStoredEvents(stack.urls)
  const more = seconds.filter((_, at) => second[at] === 'ingest').map(({ url }) => url)
  const urls = [stack.urls.ingest, ...more]
  const senders: Sender[] = []
  try {
    for (const url of urls) senders.push(await startSender(url, stack, flags.kind, projects))
    const send = (secondsMax: number, requestsMax?: number) => {
      const connections = Math.floor(flags.connections / urls.length)
      const bounds = { secondsMax, ...(requestsMax === undefined ? {} : { requestsMax }) }
      const held = flags.rate === 0 ? {} : { ratePerSecond: flags.rate / urls.length }
      return Promise.all(senders.map((one) => one.send({ ...bounds, connections, ...held })))
    }
    // Every project receives an event of its issue before the measurement.
    const warmUp =
      projects && projects.length > 1_000 ? await send(120, projects.length) : await send(2)
    await waitUntilStored(stored, warmUp)
    const before = cpuByKind(running)
    const startedAtMs = systemClock.monotonicMs()
    const results = await send(flags.seconds)
    const answeredAtMs = systemClock.monotonicMs()
    await waitUntilStored(stored, [...warmUp, ...results])
    const after = cpuByKind(running)
    const events = results.reduce((sum, one) => sum + one.events, 0)
    const perEvent = (kind: Kind) => ((after[kind] - before[kind]) * 1000) / events
    return {
      eventsPerSecond: (events * 1000) / (answeredAtMs - startedAtMs),
      cpuUsPerEvent: {
        ingest: perEvent('ingest'),
        workers: perEvent('workers'),
        nats: perEvent('nats'),
        postgres: perEvent('postgres'),
        clickhouse: perEvent('clickhouse'),
      },
      lagSeconds: (systemClock.monotonicMs() - answeredAtMs) / 1000,
      areExact: await areExact(stored, senders),
    }
  } finally {
    await Promise.all(senders.map(({ generator }) => generator.stop()))
    await stored.close()
  }
}

interface Sender {
  readonly runId: string
  readonly generator: Generator
  readonly results: LoadResult[]
  readonly send: (options: {
    secondsMax: number
    requestsMax?: number
    connections: number
    ratePerSecond?: number
  }) => Promise<LoadResult>
}

async function startSender(
  url: string,
  stack: Stack,
  kind: WorkloadKind,
  projects: readonly BenchProject[] | undefined,
): Promise<Sender> {
  const { hostname: host, port } = new URL(url)
  const runId = newRunId()
  const generator = await startGenerator({
    ...{ kind, seed: 1, runId, host, nowMs: systemClock.nowMs() },
    projectId: stack.demo.dsnId,
    publicKey: new URL(stack.demo.dsn).username,
    ...(projects === undefined ? {} : { projects }),
  })
  const results: LoadResult[] = []
  return {
    runId,
    generator,
    results,
    send: async (options) => {
      const result = await generator.run({ host, port: Number(port), ...options })
      results.push(result)
      return result
    },
  }
}

async function waitUntilStored(
  stored: StoredEvents,
  results: readonly LoadResult[],
): Promise<void> {
  const wanted = results.reduce((sum, { events }) => sum + events, 0)
  let best = 0
  let bestAtMs = systemClock.monotonicMs()
  while (true) {
    const { rows, counted } = await stored.counts()
    const arrived = Math.min(rows, counted)
    if (arrived >= wanted) return
    const nowMs = systemClock.monotonicMs()
    if (arrived > best) [best, bestAtMs] = [arrived, nowMs]
    if (nowMs - bestAtMs > stallMsMax) {
      throw new Error(`${arrived} of ${wanted} events were stored, and no more came`)
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function areExact(stored: StoredEvents, senders: readonly Sender[]): Promise<boolean> {
  for (const { runId, results } of senders) {
    const answered = results[0]?.answered
    const last = results.at(-1)
    if (answered === undefined || last === undefined) continue
    for (const { answered: more } of results.slice(1)) answered.addAll(more)
    const storedIds = await stored.ids(runId)
    const check = checkIds({ runId, answered, storedIds, counterEnd: last.counterEnd })
    if (!idsAreExact(check)) return false
  }
  return true
}

function table(rows: ReadonlyMap<string, readonly Row[]>): string {
  const head = ['layout', 'events/s', ...kinds, 'together', 'lag, s', 'ids']
  const lines = [...rows].map(([name, measured]) => {
    const [first, ...others] = measured
    if (first === undefined) return [name, 'not measured']
    const of = (read: (row: Row) => number) => median([read(first), ...others.map(read)])
    const cpu = kinds.map((kind) => of(({ cpuUsPerEvent }) => cpuUsPerEvent[kind]))
    return [
      ...[name, Math.round(of(({ eventsPerSecond }) => eventsPerSecond))],
      ...cpu.map((us) => us.toFixed(1)),
      cpu.reduce((sum, us) => sum + us, 0).toFixed(1),
      of(({ lagSeconds }) => lagSeconds).toFixed(1),
      measured.every(({ areExact }) => areExact) ? 'exact' : 'WRONG',
    ]
  })
  const all = [head, head.map(() => '---'), ...lines]
  return `CPU-µs per event, ${workloadShapes[command.opts<Flags>().kind].label}\n\n${all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}
