/** `top`: prints once, or draws a screen every two seconds until it is told to quit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadStream, WriteStream } from 'node:tty'
import { type Clock, pause } from '#platform/clock.ts'
import { type Advice, advise } from '../../operation/advice/advise.ts'
import type { Snapshot } from '../../operation/processes/snapshot.ts'
import { ProcessWatch } from '../../operation/processes/watch-processes.ts'
import { UsageError } from '../usage-error.ts'
import { openTerminal } from './terminal.ts'
import { readTopOptions, topHelp } from './top-options.ts'
import { renderView } from './view/render-view.ts'

export interface TopIo {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: ReadStream
  readonly stdout: WriteStream
  readonly stderr: (text: string) => void
  readonly clock: Clock
  /** Aborted by a signal of the operating system. */
  readonly ending: AbortController
}

const refreshMs = 2_000
/** Time between the two scrapes of a single print, for rates. */
const onceMs = 1_000
const onceColumnsMin = 100

/** Returns the exit code. */
export async function runTop(args: readonly string[], io: TopIo): Promise<0 | 1> {
  try {
    const options = await readTopOptions(args, io.env)
    if (options === 'help') {
      io.stdout.write(topHelp)
      return 0
    }
    const watch = new ProcessWatch(options.targets, io.clock)
    if (options.mode === 'json' || options.mode === 'once' || !io.stdout.isTTY) {
      await printOnce(watch, io, options.mode === 'json')
    } else {
      await live(watch, io)
    }
    return 0
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    io.stderr(`${error.message}\n`)
    return 1
  }
}

async function printOnce(watch: ProcessWatch, io: TopIo, isJson: boolean): Promise<void> {
  await watch.look()
  await pause(onceMs, io.ending.signal)
  const snapshot = await watch.look()
  const advice = advise(snapshot)
  if (isJson) {
    io.stdout.write(`${JSON.stringify({ advice, ...snapshot }, null, 2)}\n`)
    return
  }
  const columns = io.stdout.columns || Math.max(onceColumnsMin, Number(io.env['COLUMNS']) || 0)
  const options = { columns, rows: undefined, isColored: false, clock: timeOf(snapshot) }
  io.stdout.write(`${renderView(snapshot, advice, options).join('\n')}\n`)
}

function timeOf({ at }: Snapshot): string {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`
}

async function live(watch: ProcessWatch, io: TopIo): Promise<void> {
  const { ending } = io
  let shown: { snapshot: Snapshot; advice: Advice } | undefined
  const terminal = openTerminal(io.stdin, io.stdout, {
    quit: () => ending.abort(),
    resized: () => draw(),
  })
  // An error anywhere in the process must not leave the terminal in raw mode.
  const onExit = () => terminal.restore()
  process.on('exit', onExit)
  const draw = () => {
    const { columns, rows } = terminal.size()
    if (shown === undefined) {
      terminal.draw(['Reading the metrics of all processes …'])
      return
    }
    const { snapshot, advice } = shown
    const isColored = !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb'
    terminal.draw(
      renderView(snapshot, advice, { columns, rows, isColored, clock: timeOf(snapshot) }),
    )
  }
  try {
    draw()
    while (!ending.signal.aborted) {
      const next = sleep(refreshMs, undefined, { signal: ending.signal }).catch(() => undefined)
      const snapshot = await untilAborted(watch.look(), ending.signal)
      if (snapshot === undefined) break
      shown = { snapshot, advice: advise(snapshot) }
      draw()
      await next
    }
  } finally {
    terminal.restore()
    process.off('exit', onExit)
  }
}

/** Undefined as soon as the signal is aborted, so that a key need not wait for a slow process. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
