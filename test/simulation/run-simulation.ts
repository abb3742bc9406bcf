/**
 * Runs the simulation over many seeds:
 *
 *   npm run test:simulation -- --seeds 10000 --first 1 --jobs 2
 *   npm run test:simulation -- --seed 4711 --trace
 *
 * Prints a line of progress every 5 seconds, the problems of failed seeds, and the command that
 * traces one. Exits with 1 if a seed failed.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Command } from 'commander'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { type Simulation, simulate } from './simulate.ts'

interface Flags {
  readonly seeds: number
  readonly first: number
  readonly jobs: number
  readonly show: number
  readonly seed?: number
  readonly trace: boolean
  readonly untilFailure: boolean
}

const countMax = 999_999_999

interface Share {
  readonly first: number
  readonly end: number
  readonly step: number
}

if (isMainThread) process.exitCode = await main()
else await runShare(workerData as Share)

async function main(): Promise<number> {
  const flags = new Command('test:simulation')
    .description('Runs production code under simulated faults, a seed at a time.')
    .option('--seeds <n>', 'how many seeds', wholeNumber(1, countMax), 1000)
    .option('--first <n>', 'the first one', wholeNumber(0, countMax), 1)
    .option('--jobs <n>', 'threads', wholeNumber(1, 1000), 2)
    .option('--show <n>', 'failed seeds whose problems are printed', wholeNumber(0, countMax), 10)
    .option('--seed <n>', 'only this seed', wholeNumber(0, countMax))
    .option('--trace', 'print every step of that seed', false)
    .option('--until-failure', 'stop at the first seed that fails', false)
    .parse()
    .opts<Flags>()
  if (flags.seed !== undefined) return showOne(flags.seed, flags.trace)
  const { first, jobs, show: shownMax, untilFailure: stopsAtFailure } = flags
  return runAll({ first, end: first + flags.seeds, jobs, shownMax, stopsAtFailure })
}

async function showOne(seed: number, withTrace: boolean): Promise<number> {
  const result = await simulate(seed, withTrace ? 'trace' : 'hash')
  for (const line of result.lines) process.stdout.write(`${line}\n`)
  process.stdout.write(`${describe(result)}\n`)
  return result.problems.length === 0 ? 0 : 1
}

interface Batch {
  readonly first: number
  readonly end: number
  readonly jobs: number
  /** Failed seeds whose problems are printed. */
  readonly shownMax: number
  readonly stopsAtFailure: boolean
}

async function runAll({ first, end, jobs, shownMax, stopsAtFailure }: Batch): Promise<number> {
  const startedMs = performance.now()
  const failed: number[] = []
  let done = 0
  let shownAtMs = startedMs
  const show = () => {
    const seconds = (performance.now() - startedMs) / 1000
    const rate = Math.round((done / seconds) * 60)
    process.stdout.write(
      `${done} of ${end - first} seeds, ${failed.length} failed, ${rate} seeds a minute\n`,
    )
  }
  const onResult = (result: Simulation) => {
    done += 1
    if (result.problems.length > 0) {
      failed.push(result.seed)
      if (failed.length <= shownMax) process.stdout.write(`${describe(result)}\n`)
      if (stopsAtFailure) return 'stop'
    }
    if (performance.now() - shownAtMs >= 5_000) {
      shownAtMs = performance.now()
      show()
    }
    return 'continue'
  }
  await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      return runThread({ first: first + index, end, step: jobs }, onResult)
    }),
  )
  show()
  if (failed.length === 0) return 0
  const shown = failed.sort((a, b) => a - b).slice(0, 50)
  process.stdout.write(`failed: ${shown.join(' ')}\n`)
  process.stdout.write(`trace one: npm run test:simulation -- --seed ${shown[0]} --trace\n`)
  return 1
}

function runThread(
  share: Share,
  onResult: (result: Simulation) => 'continue' | 'stop',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: share })
    let isStopped = false
    thread.on('message', (result: Simulation) => {
      if (isStopped || onResult(result) === 'continue') return
      isStopped = true
      void thread.terminate()
    })
    thread.once('error', reject)
    thread.once('exit', (code) => {
      if (code === 0 || isStopped) resolve()
      else reject(new Error(`a thread exited with code ${code}`))
    })
  })
}

async function runShare({ first, end, step }: Share): Promise<void> {
  for (let seed = first; seed < end; seed += step) {
    parentPort?.postMessage(await simulate(seed, 'hash'))
  }
}

function describe({ seed, hash, problems, eventCount, stats }: Simulation): string {
  const head = `seed ${seed}: ${problems.length === 0 ? 'ok' : `${problems.length} problems`}, hash ${hash.toString(16)}, ${eventCount} steps, ${JSON.stringify(stats)}`
  return [head, ...problems.map((problem) => `  ${problem}`)].join('\n')
}
