/**
 * `npm run test:ingest-fuzz -- --seed 1 --minutes 60`: sends hostile requests to every endpoint of
 * ingest, and valid events of another project beside them. It fails on a 5xx; when a valid event is
 * lost, counted twice or not visible in time; when a partition is stuck; and when a record becomes
 * a dead letter, a range is undone or a process restarts.
 */
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import type { TestProject } from '../fixtures/test-project.ts'
import { type FuzzRequest, FuzzRequests } from './make-request.ts'

const { seed, minutes, connections } = new Command('test:ingest-fuzz')
  .description(
    'Sends hostile requests to every endpoint of ingest and checks valid events that are sent beside them.',
  )
  .option('--seed <n>', 'seed of the requests', wholeNumber(0, 2 ** 31 - 1), 1)
  .option('--minutes <n>', 'how long to run', wholeNumber(1, 10_000), 5)
  .option('--connections <n>', 'concurrent requests', wholeNumber(1, 256), 8)
  .parse()
  .opts<{ seed: number; minutes: number; connections: number }>()

const goodEveryMs = 5_000
/** A valid event that takes longer was delayed by a hostile one. */
const storedMsMax = 30_000
const problemsMax = 20
const answerMsMax = 30_000

const problems: string[] = []
const statuses = new Map<string, number>()
const product = await RunningProduct.start({ env: { LOG_LEVEL: 'error' } })
try {
  await run()
} finally {
  await product.stop()
}
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1

async function run(): Promise<void> {
  const hostile = await product.projectAtOnce('hostile')
  const good = await product.projectAtOnce('good')
  const pids = processIds()
  const startedMs = systemClock.monotonicMs()
  const goesOn = () =>
    systemClock.monotonicMs() - startedMs < minutes * 60_000 && problems.length < problemsMax
  const requests = new FuzzRequests(seed)
  let requestCount = 0
  const senders = Array.from({ length: connections }, async () => {
    while (goesOn()) {
      requestCount += 1
      await sendHostile(hostile, requests.next(), requestCount)
    }
  })
  const { sent, slowestMs } = await sendValid(good, goesOn)
  await Promise.all(senders)
  await good.hasEvents(sent)
  await atEnd(hostile, pids)
  const seconds = Math.round((systemClock.monotonicMs() - startedMs) / 1000)
  const answers = [...statuses].sort().map(([status, count]) => `${count} × ${status}`)
  process.stdout.write(
    `seed ${seed}: ${requestCount} hostile requests in ${seconds} s (${answers.join(', ')}); ${sent} valid events, all stored once, the slowest after ${Math.round(slowestMs)} ms; ${problems.length} problems\n`,
  )
}

async function sendHostile(project: TestProject, request: FuzzRequest, no: number): Promise<void> {
  const status = await answerTo(project, request)
  statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
  if (typeof status === 'number' && status >= 500) {
    problems.push(
      `request ${no} (${request.what}) was answered ${status}: ${request.path} ${request.body.toString('base64').slice(0, 2_000)}`,
    )
  }
}

/** `closed`: the server closed the connection without a response, as it does for invalid HTTP. */
function answerTo(project: TestProject, request: FuzzRequest): Promise<number | 'closed'> {
  const path = `/api/${project.dsnId}/${request.path.replaceAll('<key>', project.publicKey)}`
  return new Promise((resolve) => {
    let sent: ReturnType<typeof httpRequest>
    try {
      sent = httpRequest(`${product.stack.urls.ingest}${path}`, {
        method: request.method,
        headers: { ...request.headers, 'content-length': request.body.length },
        signal: AbortSignal.timeout(answerMsMax),
      })
    } catch {
      resolve('closed')
      return
    }
    sent.on('response', (response) => {
      response.on('error', () => undefined)
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve('closed'))
    sent.end(request.body)
  })
}

/** Sends valid events one after the other; each must be visible before the next. */
async function sendValid(
  project: TestProject,
  goesOn: () => boolean,
): Promise<{ sent: number; slowestMs: number }> {
  let sent = 0
  let slowestMs = 0
  while (goesOn()) {
    const startedMs = systemClock.monotonicMs()
    const { status } = await project.send({ body: '{}\n{"type":"event"}\n{"message":"good"}' })
    if (status !== 200) {
      problems.push(`a valid event was answered ${status}`)
      continue
    }
    sent += 1
    while ((await project.countedEvents()) < sent) {
      if (systemClock.monotonicMs() - startedMs > storedMsMax) {
        problems.push(`a valid event was not stored within ${storedMsMax} ms`)
        break
      }
      await sleep(50)
    }
    slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - startedMs)
    await sleep(goodEveryMs)
  }
  return { sent, slowestMs }
}

async function atEnd(hostile: TestProject, pids: readonly (number | undefined)[]): Promise<void> {
  const dead = await product.deadLetterCount()
  if (dead > 0) problems.push(`${dead} dead letters`)
  for (const name of ['workers_ranges_undone_total', 'workers_ranges_failed_total']) {
    const count = await workerMetric(name)
    if (count !== 0) problems.push(`${name} is ${count}`)
  }
  if (String(processIds()) !== String(pids)) problems.push('a process was restarted')
  const events = await hostile.countedEvents()
  const [row] = await product.rowsOf<{ n: string }>(
    'select toString(sum(1 + length(sampled_ids))) as n from events where project_id = {id: UInt64}',
    { id: hostile.dsnId },
  )
  if (Number(row?.n) !== events) problems.push(`${row?.n} rows, ${events} events counted in issues`)
}

async function workerMetric(name: string): Promise<number> {
  const text = await (await fetch(product.stack.demo.metricsUrls.workers)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

function processIds(): (number | undefined)[] {
  const { ingest, workers } = product.stack.services
  return [ingest.pid, workers.pid]
}
