/**
 * Runs the simulation over many seeds:
 *
 *   npm run test:simulation -- --seeds 10000 --first 1 --jobs 2
 *   npm run test:simulation -- --seed 4711 --trace
 *
 * Prints a line of progress every 5 seconds, the problems of failed seeds, and the command that
 * traces one. Exits with 1 if a seed failed.
 */
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Simulation, simulate } from './simulate.ts'

interface Share {
  readonly first: number
  readonly end: number
  readonly step: number
}

if (isMainThread) process.exitCode = await main()
else await runShare(workerData as Share)

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      first: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '2' },
      show: { type: 'string', default: '10' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      'until-failure': { type: 'boolean', default: false },
    },
  })
  if (values.seed !== undefined) return showOne(wholeNumber('seed', values.seed), values.trace)
  const first = wholeNumber('first', values.first)
  const end = first + wholeNumber('seeds', values.seeds)
  const shownMax = wholeNumber('show', values.show)
  const jobs = Math.max(1, wholeNumber('jobs', values.jobs))
  return runAll({ first, end, jobs, shownMax, stopsAtFailure: values['until-failure'] })
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

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}"`)
  return Number(text)
}
