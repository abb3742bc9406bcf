/**
 * `npm run bench:busy`: runs the product while endless loops use all cores, and measures how long
 * events take to become visible, whether API reads succeed, and whether errors are logged. Exits
 * with 1 if an event was lost or became a dead letter, a read failed, or an error was logged; a
 * missed target time is only reported.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { type Stack, startStack } from '../dev/stack.ts'
import { describeMachine } from './report/machine.ts'
import { wholeNumber } from './report/parse-option.ts'

interface Flags {
  readonly loops: number
  readonly events: number
}

const flags = new Command('bench:busy')
  .description('Measure how soon events are visible while other programs use all cores.')
  .option('--loops <n>', 'number of endless loops', wholeNumber(0, 64), 8)
  .option('--events <n>', 'number of events to send', wholeNumber(1, 100_000), 4_000)
  .parse()
  .opts<Flags>()

const visibleSecondsWanted = 30
const visibleSecondsMax = 300
const eventsPerEnvelope = 20
/** The loops end after this time, even if this process was killed. */
const loopSecondsMax = 400
const loop = `const end = Date.now() + ${loopSecondsMax * 1000}; while (Date.now() < end);`
const problems: string[] = []
const errorLines: string[] = []

await main()

async function main(): Promise<void> {
  const stack = await startStack({
    env: { LOG_LEVEL: 'warn' },
    answersFirst: true,
    report: {
      progress: () => undefined,
      broughtBack: () => undefined,
      exited: (name, how) => errorLines.push(`${name} ${how}`),
      line: (name, line) => {
        if (line.includes('"level":"error"')) errorLines.push(`${name}: ${line}`)
      },
    },
  })
  const loops = Array.from({ length: flags.loops }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  )
  try {
    process.stdout.write(`${Object.values(describeMachine()).join(', ')}\n`)
    await measure(stack)
  } finally {
    for (const each of loops) each.kill('SIGKILL')
    await stack.stop()
  }
  for (const line of errorLines.slice(0, 10)) problems.push(`logged: ${line}`)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

async function measure(stack: Stack): Promise<void> {
  const startedMs = systemClock.monotonicMs()
  const reads = readUntilStopped(stack)
  await sendAll(stack)
  const sentMs = systemClock.monotonicMs()
  const visible = await waitUntilVisible(stack)
  const seconds = ((systemClock.monotonicMs() - sentMs) / 1000).toFixed(1)
  const { count, failed, slowestMs } = await reads.stop()
  if (visible !== flags.events) problems.push(`${visible} of ${flags.events} events are visible`)
  if (failed > 0) problems.push(`${failed} of ${count} reads of the API failed`)
  process.stdout.write(
    `${flags.events} events with ${flags.loops} busy loops: sent in ${((sentMs - startedMs) / 1000).toFixed(1)} s, all visible ${seconds} s later (target: at most ${visibleSecondsWanted} s); ${count} reads of the API, slowest ${Math.round(slowestMs)} ms; ${errorLines.length} errors logged\n`,
  )
}

async function sendAll({ demo }: Stack): Promise<void> {
  const { username, host, pathname } = new URL(demo.dsn)
  const url = `http://${host}/api${pathname}/envelope/?sentry_key=${username}`
  for (let sent = 0; sent < flags.events; ) {
    const count = Math.min(eventsPerEnvelope, flags.events - sent)
    const items = Array.from({ length: count }, (_, index) => {
      const value = `number ${(sent + index) % 7}`
      return `{"type":"event"}\n{"exception":{"values":[{"type":"Busy","value":"${value}"}]}}`
    })
    const response = await fetch(url, { method: 'POST', body: `{}\n${items.join('\n')}` })
    await response.body?.cancel()
    if (response.status !== 200) problems.push(`an envelope got status ${response.status}`)
    sent += count
  }
}

async function waitUntilVisible(stack: Stack): Promise<number> {
  const endMs = systemClock.monotonicMs() + visibleSecondsMax * 1000
  let visible = 0
  while (visible < flags.events && systemClock.monotonicMs() < endMs) {
    const { status, body } = await read(stack, '/issues?query=Busy&limit=100')
    if (status === 200) {
      const { items } = body as { items: { count: number }[] }
      visible = items.reduce((sum, { count }) => sum + count, 0)
    }
    await sleep(250)
  }
  return visible
}

/** Lists the newest events continuously. */
function readUntilStopped(stack: Stack) {
  let stopped = false
  let [count, failed, slowestMs] = [0, 0, 0]
  const reading = (async () => {
    while (!stopped) {
      const startedMs = systemClock.monotonicMs()
      const { status } = await read(stack, '/events?limit=20')
      count += 1
      if (status !== 200) failed += 1
      slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - startedMs)
      await sleep(500)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await reading
      return { count, failed, slowestMs }
    },
  }
}

async function read({ demo }: Stack, path: string): Promise<{ status: number; body: unknown }> {
  const url = `${demo.apiUrl}/api/v1/projects/${demo.projectId}${path}`
  const response = await fetch(url, { headers: { 'x-api-key': demo.accessToken } })
  return { status: response.status, body: await response.json() }
}
