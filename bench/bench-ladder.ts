/**
 * `npm run bench:ladder`: measures how faults affect others. Burst: one project sends far more than
 * its share; how much longer do requests of the others take? Outage: ClickHouse is unavailable for
 * minutes under load; how fast is the backlog processed, relative to its growth? Exits with 1 if an
 * answered event was lost; a missed target is only reported.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { type Stack, startStack } from '../dev/stack.ts'
import { type Generator, startGenerator } from './load/generator.ts'
import { percentileUs } from './load/latency-histogram.ts'
import type { LoadResult } from './load/load.ts'
import { newRunId } from './load/run-id.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { formerName, wholeNumber } from './report/parse-option.ts'
import { openStoredEvents } from './stored-events.ts'

interface Flags {
  readonly rate: number
  readonly share: number
  readonly burstSeconds: number
  readonly floodSeconds?: number
  readonly rounds: number
  readonly outageSeconds: number
  readonly workers: boolean
}

const given = new Command('bench:ladder')
  .description('Measure how a burst of one project and an outage of ClickHouse affect others.')
  .option('--rate <n>', 'events per second during the outage', wholeNumber(1, 100_000), 2_000)
  .option('--share <n>', 'events per second of the other project', wholeNumber(1, 100_000), 500)
  .option(
    '--burst-seconds <n>',
    'seconds of each burst measurement, 0 to skip',
    wholeNumber(0, 600),
    10,
  )
  .option('--rounds <n>', 'rounds with and without the burst, in turn', wholeNumber(1, 50), 3)
  .option('--outage-seconds <n>', 'seconds of the outage, 0 to skip', wholeNumber(0, 3_600), 300)
  .option('--no-workers', 'measure the burst without workers, as if they ran on other machines')
  .addOption(formerName('--flood-seconds <n>', wholeNumber(0, 600)))
  .parse()
  .opts<Flags>()
const flags: Flags = { ...given, burstSeconds: given.floodSeconds ?? given.burstSeconds }

const bystanderConnections = 32
const burstConnections = 128
const burstFactor = 10
const outageConnections = 64
const drainSecondsMax = 1_200
/** Longer than the time between two ranges of a partition. */
const restSeconds = 8
const say = (line: string) => process.stderr.write(`${line}\n`)

await main()

async function main(): Promise<void> {
  const services = flags.workers ? {} : ({ services: ['ingest', 'api'] } as const)
  const stack = await startStack({
    env: { LOG_LEVEL: 'warn' },
    answersFirst: true,
    ...services,
  })
  process.once('SIGINT', () => void stack.stop().then(() => process.exit(130)))
  try {
    const machine = describeMachine()
    process.stdout.write(`${Object.values(machine).join(', ')}\n`)
    if (flags.burstSeconds > 0) await measureBurst(stack)
    if (flags.outageSeconds > 0 && flags.workers) await measureOutage(stack)
  } finally {
    await stack.stop()
  }
}

async function measureBurst(stack: Stack): Promise<void> {
  const bystander = await startSender(stack.demo.dsn)
  const flooder = await startSender(await anotherDsn(stack))
  const quiet: number[] = []
  const bursting: number[] = []
  try {
    for (let round = 0; round <= flags.rounds; round += 1) {
      const alone = await bystander(bystanderConnections, flags.share, flags.burstSeconds)
      const [beside, burst] = await Promise.all([
        bystander(bystanderConnections, flags.share, flags.burstSeconds),
        flooder(burstConnections, flags.share * burstFactor, flags.burstSeconds),
      ])
      const [p99Alone, p99Beside] = [p99Ms(alone), p99Ms(beside)]
      say(
        `round ${round}: p99 ${p99Alone.toFixed(1)} ms alone, ${p99Beside.toFixed(1)} ms during a burst of ${Math.round(burst.events / burst.seconds)} events/s; burst ${JSON.stringify(burst.statuses)}, p99 ${p99Ms(burst).toFixed(1)} ms`,
      )
      for (const load of [alone, beside]) requireAllAnswered(load)
      // The first round is a warm-up.
      if (round === 0) continue
      quiet.push(p99Alone)
      bursting.push(p99Beside)
    }
  } finally {
    await Promise.all([bystander.stop(), flooder.stop()])
  }
  const [alone, beside] = [medianOf(quiet), medianOf(bursting)]
  process.stdout.write(
    `Burst of ${burstFactor} times the share (${flags.share} events/s): p99 of the others ${alone.toFixed(1)} → ${beside.toFixed(1)} ms, ${(beside / alone).toFixed(2)} × (target: at most 1.5 ×)\n`,
  )
}

async function measureOutage(stack: Stack): Promise<void> {
  const stored = openStoredEvents(stack.urls)
  const load = await startSender(stack.demo.dsn)
  try {
    const before = await atRest(stored)
    await stack.engines.clickhouse.kill('SIGKILL')
    say(`Stopping ClickHouse for ${flags.outageSeconds} s.`)
    const startedMs = systemClock.monotonicMs()
    // The load continues while the backlog is processed.
    const during = await load(outageConnections, flags.rate, flags.outageSeconds)
    requireAllAnswered(during)
    await stack.engines.clickhouse.start()
    const backAtMs = systemClock.monotonicMs()
    let sent = during.events
    let drainedAtMs: number | undefined
    const counts: { atMs: number; counted: number }[] = []
    while (drainedAtMs === undefined) {
      const more = await load(outageConnections, flags.rate, 2)
      requireAllAnswered(more)
      sent += more.events
      const { counted } = await stored.counts()
      const atMs = systemClock.monotonicMs()
      counts.push({ atMs, counted: counted - before.counted })
      const waiting = sent - (counted - before.counted)
      say(
        `${((atMs - backAtMs) / 1000).toFixed(0)} s after the outage: a backlog of ${waiting} events.`,
      )
      if (waiting < flags.rate * 4) drainedAtMs = atMs
      if (atMs > backAtMs + drainSecondsMax * 1000) throw new Error('the backlog does not drain')
    }
    const last = counts.at(-1)!
    const drained = last.counted / ((last.atMs - backAtMs) / 1000)
    const arriving = sent / ((last.atMs - startedMs) / 1000)
    await settled(stored, before.counted + sent)
    process.stdout.write(
      `ClickHouse unavailable for ${flags.outageSeconds} s: ${Math.round(arriving)} events/s arrived, all answered 200; processed at ${Math.round(drained)} events/s, ${(drained / arriving).toFixed(1)} × (target: at least 3 ×); every event stored and counted once: ${sent}\n`,
    )
  } finally {
    await load.stop()
    await stored.close()
  }
}

/** The stored counts after all events of earlier loads have been processed. */
async function atRest(stored: ReturnType<typeof openStoredEvents>) {
  let counts = await stored.counts()
  for (let quietSeconds = 0; quietSeconds < restSeconds; quietSeconds += 1) {
    await sleep(1_000)
    const now = await stored.counts()
    if (now.rows !== counts.rows || now.counted !== counts.counted) quietSeconds = 0
    counts = now
  }
  return counts
}

async function settled(stored: ReturnType<typeof openStoredEvents>, wanted: number): Promise<void> {
  for (let second = 0; second < 60; second += 1) {
    const { rows, counted } = await stored.counts()
    if (rows === wanted && counted === wanted) return
    await sleep(1_000)
  }
  const now = await stored.counts()
  throw new Error(
    `${wanted} events were answered 200, ${now.rows} are stored and ${now.counted} are counted`,
  )
}

interface Sender {
  (connections: number, ratePerSecond: number, seconds: number): Promise<LoadResult>
  stop(): Promise<void>
}

/** Sends requests with one event of 1 KB to one project, from its own thread. */
async function startSender(dsn: string): Promise<Sender> {
  const { hostname: host, port, host: address, pathname, username } = new URL(dsn)
  const generator: Generator = await startGenerator({
    kind: '1k',
    seed: 1,
    nowMs: systemClock.nowMs(),
    runId: newRunId(),
    host: address,
    projectId: pathname.slice(1),
    publicKey: username,
  })
  const send = (connections: number, ratePerSecond: number, secondsMax: number) =>
    generator.run({ host, port: Number(port), connections, secondsMax, ratePerSecond })
  return Object.assign(send, { stop: () => generator.stop() })
}

async function anotherDsn(stack: Stack): Promise<string> {
  const entry = join(projectRoot, 'dist/api/cli/main.js')
  const args = [entry, 'project', 'create', '--name', 'Burst', '--json']
  const env = { ...inheritedEnv(), SLUICE_DATA_DIR: stack.dataDir, POSTGRES_URL: '' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  return (JSON.parse(stdout) as { dsn: string }).dsn
}

function p99Ms(load: LoadResult): number {
  return percentileUs(load.latencies, 0.99) / 1000
}

function medianOf(values: readonly number[]): number {
  const [first, ...others] = values
  if (first === undefined) throw new Error('nothing was measured')
  return median([first, ...others])
}

/** Every request of the other project must be answered 200. */
function requireAllAnswered(load: LoadResult): void {
  const refused = load.requestsSent - (load.statuses['200'] ?? 0)
  if (refused > 0) throw new Error(`not answered 200: ${refused}, ${JSON.stringify(load.statuses)}`)
}
