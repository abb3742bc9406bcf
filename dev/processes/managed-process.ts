/**
 * One supervised child process: it is started and waited for, restarted with a growing delay when
 * it exits unexpectedly, and stopped step by step. A plan (process-plan.ts) describes what it runs
 * and when it is ready. The caller decides in which order processes start.
 *
 *   stopped ──start──▶ starting ──ready──▶ up ──exit──▶ waiting ──delay──▶ starting
 *      ▲                                   │ ╲
 *      └────────────── stop, kill ─────────┘  handOver: a second one comes up, the first ends
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { type BackOff, nextBackOff, noBackOff } from './back-off.ts'
import { lowerPriority } from './lower-priority.ts'
import type { ProcessPlan, ProcessReport, StopStep } from './process-plan.ts'
import { isAlive } from './process-table.ts'
import { splitLines } from './split-lines.ts'

const firstStartsMax = 3
const probeEveryMs = 50
const lastLinesMax = 12

export class ManagedProcess {
  readonly name: string
  readonly #plan: ProcessPlan
  readonly #report: ProcessReport
  #child: ChildProcess | undefined
  /**
   * Identity of the current run, from `start` to `stop`. After each wait, a run that has been
   * replaced starts nothing.
   */
  #run: object | undefined
  #starting = false
  #backOff: BackOff = noBackOff
  #startedAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #lastLines: string[] = []

  constructor(plan: ProcessPlan, report: ProcessReport) {
    this.name = plan.name
    this.#plan = plan
    this.#report = report
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /**
   * Resolves when the process is ready. Rejects with its last output lines if it does not become
   * ready.
   */
  async start(): Promise<void> {
    const run = {}
    this.#run = run
    clearTimeout(this.#timer)
    this.#starting = true
    try {
      for (let attempt = 1; ; attempt++) {
        const child = await this.#launch(run)
        const outcome = child ? await this.#waitUntilReady(child) : 'exited'
        if (outcome === 'ready') return
        if (this.#run !== run) throw new Error(`${this.name} was stopped while it started`)
        if (outcome === 'timeout') await this.#endChild()
        if (outcome === 'timeout' || attempt === firstStartsMax) throw this.#startFailure(outcome)
        this.#backOff = nextBackOff(this.#backOff, 0)
        await sleep(this.#backOff.delayMs)
      }
    } finally {
      if (this.#run === run || this.#run === undefined) this.#starting = false
    }
  }

  /** Resolves when the process is ready again after a crash; rejects after `readyMsMax`. */
  async ready(): Promise<void> {
    const deadline = systemClock.monotonicMs() + this.#plan.readyMsMax
    while (true) {
      const child = this.#child
      // The process may have ended before its exit event arrives.
      const runs = child?.pid !== undefined && isAlive(child.pid)
      if (runs && (await this.#probeOnce()) && this.#child === child) return
      if (systemClock.monotonicMs() > deadline) throw this.#startFailure('timeout')
      await sleep(probeEveryMs)
    }
  }

  /** Simulates a crash: the process is restarted after its delay. Resolves when it has ended. */
  async crash(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child) return
    const gone = exitOf(child)
    child.kill(signal)
    await gone
  }

  /** Ends the process by one signal. It stays stopped until `start` or `restart`. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#run = undefined
    clearTimeout(this.#timer)
    const child = this.#child
    if (!child) return
    const gone = exitOf(child)
    child.kill(signal)
    await gone
  }

  async restart(): Promise<void> {
    await this.stop()
    this.#backOff = noBackOff
    await this.start()
  }

  /**
   * Replaces the process by one of the current build, without a gap where the plan allows it. Does
   * nothing if the process is not running.
   */
  async handOver(): Promise<void> {
    const { handOver } = this.#plan
    const before = this.#child
    if (this.#run === undefined || before === undefined || this.#starting) return
    if (handOver === undefined) await this.restart()
    else if (handOver.kind === 'signal') before.kill(handOver.signal)
    else await this.#handOverTo(this.#run, before, handOver.ending)
  }

  /** Runs the stop steps, then SIGKILL. Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#run = undefined
    clearTimeout(this.#timer)
    await this.#endChild()
  }

  /** Kills the process without waiting, for the second Ctrl-C. */
  killNow(): void {
    this.#run = undefined
    clearTimeout(this.#timer)
    this.#child?.kill('SIGKILL')
  }

  /** If the new process fails, the old one keeps running. */
  async #handOverTo(run: object, before: ChildProcess, ending: StopStep): Promise<void> {
    this.#starting = true
    try {
      const next = await this.#launch(run)
      const outcome = next ? await this.#waitUntilReady(next) : 'exited'
      if (outcome !== 'ready') {
        if (next !== undefined) await endChild(next, [])
        if (this.#run === run) this.#child = before
        throw this.#startFailure(outcome)
      }
    } finally {
      this.#starting = false
    }
    await endChild(before, [ending])
  }

  /** Starts nothing if the run was stopped, also while the launch was prepared. */
  async #launch(run: object): Promise<ChildProcess | undefined> {
    if (this.#run !== run) return undefined
    const launch = await this.#plan.launch()
    if (this.#run !== run) return undefined
    const child = spawn(launch.file, launch.args, {
      env: launch.env,
      cwd: launch.cwd,
      ...(launch.uid === undefined ? {} : { uid: launch.uid }),
      ...(launch.gid === undefined ? {} : { gid: launch.gid }),
      stdio: launch.channel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      // A process group of its own: Ctrl-C in a terminal reaches only the supervisor, which stops
      // the processes in order.
      detached: true,
    })
    if (child.pid !== undefined && this.#plan.hasLowerPriority === true) lowerPriority(child.pid)
    this.#child = child
    this.#startedAtMs = systemClock.monotonicMs()
    this.#lastLines = []
    for (const stream of [child.stdout, child.stderr]) {
      const lines = splitLines((line) => this.#takeLine(line))
      stream?.on('data', lines.push)
      stream?.on('end', lines.end)
    }
    child.on('error', (error) => {
      this.#takeLine(error.message)
      // A program that cannot be started has no exit event.
      if (child.pid === undefined) this.#onExit(run, child, error.message)
    })
    child.on('exit', (code, signal) => this.#onExit(run, child, signal ?? `code ${code}`))
    if (child.pid !== undefined) await this.#report.started(this.name, child.pid)
    return child
  }

  #takeLine(line: string): void {
    this.#lastLines.push(line)
    if (this.#lastLines.length > lastLinesMax) this.#lastLines.shift()
    this.#report.line(this.name, line)
  }

  #onExit(run: object, child: ChildProcess, how: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#run !== run || this.#starting) return
    this.#backOff = nextBackOff(this.#backOff, systemClock.monotonicMs() - this.#startedAtMs)
    this.#report.exited(this.name, how, this.#backOff.delayMs)
    this.#timer = setTimeout(() => void this.#bringBack(run), this.#backOff.delayMs)
  }

  async #bringBack(run: object): Promise<void> {
    try {
      const child = await this.#launch(run)
      if (!child) return
      const outcome = await this.#waitUntilReady(child)
      if (outcome === 'ready') this.#report.broughtBack(this.name)
      // Its exit schedules the next restart.
      if (outcome === 'timeout') child.kill('SIGKILL')
    } catch (error) {
      if (this.#run !== run) return
      this.#takeLine(`could not be started: ${error instanceof Error ? error.message : error}`)
      this.#backOff = nextBackOff(this.#backOff, 0)
      this.#timer = setTimeout(() => void this.#bringBack(run), this.#backOff.delayMs)
    }
  }

  async #waitUntilReady(child: ChildProcess): Promise<'ready' | 'exited' | 'timeout'> {
    const deadline = systemClock.monotonicMs() + this.#plan.readyMsMax
    while (this.#child === child) {
      if (await this.#probeOnce()) return this.#child === child ? 'ready' : 'exited'
      if (systemClock.monotonicMs() > deadline) return 'timeout'
      await sleep(probeEveryMs)
    }
    return 'exited'
  }

  async #probeOnce(): Promise<boolean> {
    try {
      await this.#plan.probe()
      return true
    } catch {
      return false
    }
  }

  async #endChild(): Promise<void> {
    if (this.#child) await endChild(this.#child, this.#plan.stopSteps)
  }

  #startFailure(outcome: 'exited' | 'timeout'): Error {
    const what =
      outcome === 'exited'
        ? 'ended before it was ready'
        : `was not ready after ${Math.round(this.#plan.readyMsMax / 1000)} s`
    const words =
      this.#lastLines.length > 0 ? `; its last lines:\n${this.#lastLines.join('\n')}` : ''
    return new Error(`${this.name} ${what}${words}`)
  }
}

/**
 * Sends the signal of each step and waits, then sends SIGKILL. Resolves when the child has ended.
 */
async function endChild(child: ChildProcess, steps: readonly StopStep[]): Promise<void> {
  const gone = exitOf(child)
  for (const { signal, waitMs } of steps) {
    child.kill(signal)
    const timeout = new AbortController()
    const late = sleep(waitMs, 'late', { signal: timeout.signal }).catch(() => 'late')
    const first = await Promise.race([gone, late])
    timeout.abort()
    if (first === 'gone') return
  }
  child.kill('SIGKILL')
  await gone
}

async function exitOf(child: ChildProcess): Promise<'gone'> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return 'gone'
}
