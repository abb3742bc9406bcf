/**
 * Threads that compose emails, so that a text which takes seconds delays no other request. A task
 * that takes too much CPU time or memory ends with its thread and is refused as too complex. An
 * owner (an organization or a newsletter) has one task running at a time, so others always find a
 * thread.
 *
 *   waiting ──thread free, no task of the owner running──▶ running ──▶ done
 *      └── queue full, or waited too long ──▶ 503 busy
 *
 *   running ── limit of CPU time or memory ──▶ 400 too_complex
 *      └────── limit of wall-clock time ─────▶ 503 busy
 */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { threadArguments } from '#platform/threads/thread-arguments.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ComposeOutcome, ComposeTask } from './compose-task.ts'

const threadsMax = 2
const waitingMax = 200
const waitingPerOwnerMax = 40
const checkEveryMs = 100
const threadHeapMb = 384
/** An idle thread keeps its modules loaded for this long. */
const idleMsMax = 60_000

export interface ComposePoolOptions {
  /** CPU time of one task, so that a busy machine does not refuse tasks. */
  readonly cpuMsMax?: number
  readonly waitMsMax?: number
  readonly wallMsMax?: number
  readonly heapMb?: number
  /** Another entry for the threads, for tests. */
  readonly filename?: string
}

interface Waiting {
  readonly task: ComposeTask
  readonly owner: string
  readonly since: number
  readonly resolve: (outcome: Promise<ComposeOutcome>) => void
}

interface Running {
  readonly owner: string
  readonly since: number
  cpuMs: number
  readonly stop: AbortController
  stoppedFor: CodedError | undefined
}

export class ComposePool {
  readonly #limits: { cpuMs: number; waitMs: number; wallMs: number }
  readonly #makeThreads: () => Piscina
  #threads: Piscina | undefined
  readonly #waiting: Waiting[] = []
  readonly #running = new Set<Running>()
  #timer: NodeJS.Timeout | undefined
  #cpuBefore = process.cpuUsage()

  constructor(options: ComposePoolOptions = {}) {
    const { cpuMsMax = 5_000, waitMsMax = 10_000, wallMsMax = 60_000, heapMb, filename } = options
    this.#limits = { cpuMs: cpuMsMax, waitMs: waitMsMax, wallMs: wallMsMax }
    this.#makeThreads = () =>
      new Piscina({
        filename: filename ?? fileURLToPath(new URL('./compose-thread.js', import.meta.url)),
        minThreads: 1,
        maxThreads: threadsMax,
        idleTimeout: idleMsMax,
        concurrentTasksPerWorker: 1,
        execArgv: [...threadArguments],
        resourceLimits: { maxOldGenerationSizeMb: heapMb ?? threadHeapMb },
      })
  }

  /** Starts the first thread before the first task. */
  warmUp(): void {
    this.#threads ??= this.#makeThreads()
  }

  run(task: ComposeTask, owner: string): Promise<ComposeOutcome> {
    const own = this.#waiting.filter((waiting) => waiting.owner === owner)
    if (waitingMax <= this.#waiting.length || waitingPerOwnerMax <= own.length) {
      return Promise.reject(busy())
    }
    return new Promise((resolve) => {
      this.#waiting.push({ task, owner, since: performance.now(), resolve })
      this.#startNext()
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#threads?.close()
  }

  #startNext(): void {
    while (this.#running.size < threadsMax) {
      const owners = new Set([...this.#running].map(({ owner }) => owner))
      const index = this.#waiting.findIndex(({ owner }) => !owners.has(owner))
      if (index < 0) return
      const [next] = this.#waiting.splice(index, 1)
      next!.resolve(this.#perform(next!))
    }
  }

  async #perform({ task, owner }: Waiting): Promise<ComposeOutcome> {
    this.#threads ??= this.#makeThreads()
    const running: Running = {
      owner,
      since: performance.now(),
      cpuMs: 0,
      stop: new AbortController(),
      stoppedFor: undefined,
    }
    if (this.#running.size === 0) this.#cpuBefore = process.cpuUsage()
    this.#running.add(running)
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref()
    try {
      return await this.#threads.run(task, { signal: running.stop.signal })
    } catch (error) {
      if (running.stoppedFor !== undefined) throw running.stoppedFor
      const { code } = error as NodeJS.ErrnoException
      throw code === 'ERR_WORKER_OUT_OF_MEMORY' ? new CodedError('too_complex') : error
    } finally {
      this.#running.delete(running)
      if (this.#running.size === 0 && this.#waiting.length === 0) {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
      this.#startNext()
    }
  }

  /**
   * Divides the CPU time of the process since the last check among the running tasks, because Node
   * reports a thread's own CPU time from version 24 on only. The share includes the time of the
   * rest of the process, so it may be too high and is never too low.
   */
  #check(): void {
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    this.#cpuBefore = process.cpuUsage()
    const shareMs = (user + system) / 1_000 / Math.max(1, this.#running.size)
    const now = performance.now()
    for (const running of this.#running) {
      running.cpuMs += shareMs
      if (this.#limits.cpuMs <= running.cpuMs) stop(running, new CodedError('too_complex'))
      else if (this.#limits.wallMs <= now - running.since) stop(running, busy())
    }
    const isLate = ({ since }: Waiting) => this.#limits.waitMs <= now - since
    for (const late of this.#waiting.filter(isLate)) {
      this.#waiting.splice(this.#waiting.indexOf(late), 1)
      late.resolve(Promise.reject(busy()))
    }
  }
}

function stop(running: Running, reason: CodedError): void {
  running.stoppedFor ??= reason
  running.stop.abort()
}

function busy(): CodedError {
  return new CodedError('busy')
}
