/**
 * `npm run bench:digest`: CPU time of `digestRange` for each event, as a multiple of `JSON.parse`
 * and `JSON.stringify` of the same bytes, which every design of this kind has to pay. Both are
 * measured in turn, so that a slow minute of the machine slows both.
 */
import { isMainThread, Worker } from 'node:worker_threads'
import { Command } from 'commander'
// biome-ignore lint/style/noRestrictedImports: it measures in a thread like those of the workers.
import { youngGenerationMb } from '../workers/digest/digest-pool.ts'
// biome-ignore lint/style/noRestrictedImports: what it measures is a function of the workers.
import { digestRange } from '../workers/digest/digest-range.ts'
import { digestSizes, makePlatforms, makeWorkload, type Workload } from './digest/make-ranges.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'

const eventsPerPlatform = 1000

const options = new Command('bench:digest')
  .description('Measure the CPU time of the digest of an event against that of its JSON.')
  .option('--rounds <n>', 'rounds; the median is reported', wholeNumber(1, 1000), 9)
  .option('--platforms', 'events of real SDKs, too', false)
  .option('--json', 'print the result as JSON', false)
  .option('--only <kb>', 'only events of this many kilobytes', wholeNumber(1, 50))
  .parse()
  .opts<{ rounds: number; platforms: boolean; json: boolean; only?: number }>()

if (isMainThread) {
  new Worker(new URL(import.meta.url), {
    argv: process.argv.slice(2),
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  })
} else {
  main()
}

interface Cost {
  readonly us: number
  /** Of `JSON.parse` and `JSON.stringify`. */
  readonly floorUs: number
  readonly ratio: number
}

function main(): void {
  const chosen = digestSizes.filter(({ kb }) => options.only === undefined || kb === options.only)
  const bySize = chosen.map(({ kb, eventCount }) => ({
    kb,
    ...measure(makeWorkload(kb, eventCount)),
  }))
  const byPlatform = options.platforms
    ? makePlatforms(eventsPerPlatform).map((load) => ({ platform: load.name, ...measure(load) }))
    : []
  if (options.json) {
    const platforms = options.platforms ? { platforms: byPlatform } : {}
    process.stdout.write(`${JSON.stringify({ sizes: bySize, ...platforms })}\n`)
    return
  }
  const lines = [
    ...bySize.map(({ kb, ...cost }) => row(`${kb} KB`, cost)),
    ...byPlatform.map(({ platform, ...cost }) => row(platform, cost)),
  ]
  process.stdout.write(
    `${Object.values(describeMachine()).join(', ')}\n\n` +
      '| Event | `JSON.parse` + `JSON.stringify`, µs | `digestRange`, µs | Ratio |\n|---|--:|--:|--:|\n' +
      `${lines.join('\n')}\n`,
  )
}

function row(name: string, { us, floorUs, ratio }: Cost): string {
  return `| ${name} | ${floorUs.toFixed(1)} | ${us.toFixed(1)} | ${ratio.toFixed(2)} |`
}

function measure(load: Workload): Cost {
  process.stderr.write(`${load.name}\n`)
  const digest = () => {
    let rows = 0
    for (const range of load.ranges) rows += digestRange(range).eventCount
    if (rows !== load.eventCount) throw new Error(`${load.eventCount - rows} events without a row`)
  }
  const json = () => {
    let characters = 0
    for (const payload of load.payloads)
      characters += JSON.stringify(JSON.parse(payload.toString())).length
    if (characters === 0) throw new Error('no JSON')
  }
  // Compiled code and filled caches: the cold start is measured by bench:ingest.
  digest()
  json()
  const rounds = Array.from({ length: options.rounds }, () => {
    const floorUs = cpuUs(json) / load.eventCount
    const us = cpuUs(digest) / load.eventCount
    return { us, floorUs, ratio: us / floorUs }
  })
  const medianOf = (key: keyof Cost) =>
    median(rounds.map((round) => round[key]) as [number, ...number[]])
  return { us: medianOf('us'), floorUs: medianOf('floorUs'), ratio: medianOf('ratio') }
}

function cpuUs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
