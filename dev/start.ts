/**
 * `npm start`: runs the whole product under one supervisor, in the foreground of a terminal. With
 * `--engines` it runs the engines only, to restore a backup into them.
 */

import { systemClock } from '#platform/clock.ts'
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { describeDemo } from './demo/describe-demo.ts'
import { SetupError } from './engines/engine.ts'
import { compose, formatLine, type LineStyle } from './log-line.ts'
import {
  type StackControls,
  type StackOptions,
  type StackReport,
  startEngines,
  startStack,
} from './stack.ts'

/**
 * npm forwards a Ctrl-C that the terminal has already sent, so two signals within this time are
 * one.
 */
const samePressMs = 500

const env = inheritedEnv()
let controls: StackControls | undefined
let stopAskedAtMs: number | undefined
let handOver: Promise<void> = Promise.resolve()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onStopSignal)
process.on('SIGUSR2', onRestartSignal)
// The reader of the output may be gone, as in `npm start | head`; keep running.
process.stdout.on('error', () => undefined)

await main()

async function main(): Promise<void> {
  const startedAtMs = systemClock.monotonicMs()
  const say = printer()
  try {
    const options: StackOptions = {
      dataDir: readEnv(['SLUICE_DATA_DIR'], env).SLUICE_DATA_DIR,
      ports: 'as given',
      answersFirst: true,
      env,
      report: reportTo(say),
      onControls: (given) => {
        controls = given
        if (stopAskedAtMs !== undefined) void given.stop()
      },
    }
    if (process.argv.includes('--engines')) {
      await startEngines(options)
      say('sluice', 'info', 'The engines are running, without services: restore a backup now.')
      return
    }
    const stack = await startStack(options)
    const seconds = ((systemClock.monotonicMs() - startedAtMs) / 1000).toFixed(1)
    say('sluice', 'info', `Everything is running after ${seconds} s.`)
    process.stdout.write(describeDemo(stack.demo, stack.dataDir))
  } catch (error) {
    await controls?.stop()
    if (stopAskedAtMs !== undefined) process.exit(0)
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  }
}

function onStopSignal(): void {
  const nowMs = systemClock.monotonicMs()
  if (stopAskedAtMs === undefined) {
    stopAskedAtMs = nowMs
    printer()('sluice', 'info', 'Stopping. Press Ctrl-C again to kill all processes at once.')
    controls?.stop().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`)
        process.exit(1)
      },
    )
    return
  }
  if (nowMs - stopAskedAtMs < samePressMs) return
  controls?.killNow()
  process.exit(1)
}

/** Sent by `npm run restart`. */
function onRestartSignal(): void {
  const say = printer()
  if (stopAskedAtMs !== undefined || controls === undefined) return
  say('sluice', 'info', 'Restarting the services, one after the other.')
  handOver = handOver.then(controls.handOver).then(
    () => say('sluice', 'info', 'The services were restarted.'),
    (error: Error) =>
      say(
        'sluice',
        'warn',
        `A restart failed; the service keeps running as before: ${error.message}`,
      ),
  )
}

type Say = (source: string, level: 'info' | 'warn', text: string) => void

function lineStyle(): LineStyle {
  return {
    colored: process.stdout.isTTY === true && !env['NO_COLOR'],
    withEngineChatter: env['LOG_LEVEL'] === 'debug',
  }
}

function printer(): Say {
  const style = lineStyle()
  return (source, level, text) => {
    process.stdout.write(`${compose(source, level, systemClock.nowMs(), text, style)}\n`)
  }
}

function reportTo(say: Say): StackReport {
  const style = lineStyle()
  return {
    line: (name, line) => {
      const text = formatLine(name, line, systemClock.nowMs(), style)
      if (text !== undefined) process.stdout.write(`${text}\n`)
    },
    exited: (name, how, restartMs) => {
      say(name, 'warn', `Exited unexpectedly (${how}); restarting in ${restartMs} ms.`)
    },
    broughtBack: (name) => say(name, 'info', 'Is running again.'),
    progress: (sentence) => say('sluice', 'info', sentence),
  }
}

function explain(error: unknown): string {
  if (error instanceof SetupError) return error.message
  if (!(error instanceof Error)) return String(error)
  return readsLogLevel() === 'debug' ? (error.stack ?? error.message) : error.message
}

function readsLogLevel(): string {
  try {
    return readEnv(['LOG_LEVEL'], env).LOG_LEVEL
  } catch {
    return 'info'
  }
}
