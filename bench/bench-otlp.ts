/**
 * `npm run bench:otlp`: measures the cost of dropping log records below error severity. First it
 * compares the filter with a general protobuf library (or `JSON.parse`) on the same bodies; then it
 * measures the CPU time of ingest per record in the running product. A missed target is only
 * reported, because speed depends on the machine.
 */
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { startBenchStack, stopOnInterrupt } from './bench-stack.ts'
import { type FilterResult, filterCases, measureFilter } from './otlp/measure-otlp-filter.ts'
import { measureWire, type WireResult, wireCases } from './otlp/measure-otlp-wire.ts'
import { describeMachine } from './report/machine.ts'
import { wholeNumber } from './report/parse-option.ts'

interface Flags {
  readonly rounds: number
  readonly records: number
}

const flags = new Command('bench:otlp')
  .description('Measure the filter of log records, alone and in the running product.')
  .option('--rounds <n>', 'rounds of each comparison, in turn', wholeNumber(1, 100), 5)
  .option(
    '--records <n>',
    'records sent to the running product in each case, 0 to skip',
    wholeNumber(0, 100_000_000),
    2_000_000,
  )
  .parse()
  .opts<Flags>()

/** Minimum and goal for the ratio of the protobuf filter's records per second to the library's. */
const ratioMin = 5
const ratioAim = 15
/**
 * CPU microseconds per record of the OpenTelemetry Collector's filter processor on one core, by
 * records per body.
 */
const collectorUs: ReadonlyMap<number, number> = new Map([
  [100, 3.4],
  [1000, 2.9],
])

const say = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`${line}\n`)

await main()

async function main(): Promise<void> {
  print(`${Object.values(describeMachine()).join(', ')}\n`)
  printFilter(
    filterCases.map((one) => {
      say(`filter: ${one.encoding}, ${one.recordsPerBody} records per body`)
      return measureFilter(one, flags.rounds)
    }),
  )
  if (flags.records > 0) printWire(await wireResults())
}

async function wireResults(): Promise<WireResult[]> {
  const bench = await startBenchStack({ services: ['ingest'], onProgress: say, profile: false })
  const forget = stopOnInterrupt(bench)
  try {
    const results: WireResult[] = []
    for (const one of wireCases) {
      say(`product: ${one.recordsPerBody} records per body, ${one.compression}`)
      results.push(
        await measureWire(bench, one, {
          recordCount: flags.records,
          monotonicMs: () => systemClock.monotonicMs(),
        }),
      )
    }
    return results
  } finally {
    forget()
    await bench.stop()
  }
}

function printFilter(results: readonly FilterResult[]): void {
  print(
    '| Filter compared with a library | Records per body | Errors | Bytes per record | Filter, µs per record | Library, µs per record | Ratio | |',
  )
  print('|---|---|---|---|---|---|---|---|')
  for (const one of results) {
    const library = one.encoding === 'protobuf' ? 'protobufjs' : '`JSON.parse`'
    const errors = one.errorEvery === 0 ? 'none' : `1 in ${one.errorEvery}`
    const cells = [
      `${one.encoding}, ${library}`,
      one.recordsPerBody,
      errors,
      Math.round(one.bytesPerRecord),
      one.filterUs.toFixed(3),
      one.decodeUs.toFixed(2),
      `${one.ratio.toFixed(1)} ×`,
      one.encoding === 'protobuf' ? verdictOf(one.ratio) : '',
    ]
    print(`| ${cells.join(' | ')} |`)
  }
  print('')
}

function verdictOf(ratio: number): string {
  if (ratioAim <= ratio) return `at least ${ratioAim} ×: met`
  return ratioMin <= ratio ? `at least ${ratioMin} ×: met` : `at least ${ratioMin} ×: missed`
}

function printWire(results: readonly WireResult[]): void {
  print(
    '| Running product, protobuf | Records per body | Records per second | Ingest, CPU µs per record | Collector, CPU µs per record |',
  )
  print('|---|---|---|---|---|')
  for (const one of results) {
    const cells = [
      one.compression === 'none' ? 'plain' : one.compression,
      one.recordsPerBody,
      Math.round(one.recordsPerSecond).toLocaleString('en'),
      one.cpuUsPerRecord?.toFixed(2) ?? 'unknown',
      one.compression === 'none' ? (collectorUs.get(one.recordsPerBody) ?? '') : '',
    ]
    print(`| ${cells.join(' | ')} |`)
  }
}
