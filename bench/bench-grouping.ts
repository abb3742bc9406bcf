/**
 * `npm run bench:grouping`: measures how many events per second one core groups, for events of the
 * canonical workload in three sizes from several hundred issues. It measures grouping alone, and
 * parsing, normalising and grouping together, in CPU time of this process.
 */
import { Command } from 'commander'
import type { EventId } from '#schemas/ids.ts'
// biome-ignore-start lint/style/noRestrictedImports: what it measures is a function of the workers.
import { groupEvent } from '../workers/grouping/group-v1.ts'
import type { NormalizedEvent } from '../workers/normalize/event.ts'
import { normalizeEvent } from '../workers/normalize/normalize-event.ts'
import { seededRandom } from './load/random.ts'
import { issueCountMax, sampleEvent } from './load/sample-event.ts'
// biome-ignore-end lint/style/noRestrictedImports: see above.
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'

const sizesKb = [1, 10, 50] as const
/** More than the caches of one issue hold, and few enough for memory. */
const eventsPerSize = 600
const seed = 1
const nowMs = Date.UTC(2026, 10, 21)

const { rounds, seconds } = new Command('bench:grouping')
  .description('Measure how many events per second one core groups.')
  .option(
    '--rounds <n>',
    'rounds of each measurement; the median is reported',
    wholeNumber(1, 100),
    5,
  )
  .option('--seconds <n>', 'CPU seconds of each round', wholeNumber(1, 60), 1)
  .parse()
  .opts<{ rounds: number; seconds: number }>()

main()

function main(): void {
  const lines = [
    '| Event | Grouped per core and second | µs each | Normalised and grouped per core and second | µs each | With explanation, µs |',
    '|---|---|---|---|---|---|',
  ]
  for (const kb of sizesKb) {
    process.stderr.write(`events of ${kb} KB\n`)
    const payloads = makePayloads(kb)
    const events = payloads.map(normalize)
    const alone = measure(events, (event) => groupEvent(event).hashes.length)
    const whole = measure(payloads, (bytes) => groupEvent(normalize(bytes)).hashes.length)
    const told = measure(events, (event) => groupEvent(event).explain().variants.length)
    const cells = [rate(alone), micros(alone), rate(whole), micros(whole), micros(told)]
    lines.push(`| ${kb} KB | ${cells.join(' | ')} |`)
  }
  process.stdout.write(`${Object.values(describeMachine()).join(', ')}\n\n${lines.join('\n')}\n`)
}

function makePayloads(kb: number): Buffer[] {
  const random = seededRandom(seed)
  return Array.from({ length: eventsPerSize }, (_, index) =>
    Buffer.from(
      sampleEvent({
        eventId: random.hex(32),
        issueIndex: index % issueCountMax,
        eventBytes: kb * 1024,
        nowMs,
        random,
      }),
    ),
  )
}

function normalize(payload: Buffer): NormalizedEvent {
  const eventId = '9ec79c33ec9942ab8353589fcb2e04dc' as EventId
  const normalized = normalizeEvent({ payload, eventId, receivedAtMs: nowMs })
  if (normalized.kind !== 'event') throw new Error(`a sample event is ${normalized.kind}`)
  return normalized.event
}

/** Median over the rounds of the CPU microseconds per item. */
function measure<Item>(items: readonly Item[], work: (item: Item) => number): number {
  let done = 0
  const round = (): number => {
    const start = process.cpuUsage()
    let itemCount = 0
    let spentUs = 0
    while (spentUs < seconds * 1e6) {
      for (const item of items) done += work(item)
      itemCount += items.length
      const { user, system } = process.cpuUsage(start)
      spentUs = user + system
    }
    return spentUs / itemCount
  }
  round()
  const results = [round(), ...Array.from({ length: rounds - 1 }, round)] as const
  if (done === 0) throw new Error('nothing was grouped')
  return median([results[0], ...results.slice(1)])
}

function rate(us: number): string {
  return Math.round(1e6 / us).toLocaleString('en-US')
}

function micros(us: number): string {
  return us.toFixed(1)
}
