/**
 * The processes in which Vitest runs the test files, with two additions. When a process ends while
 * it runs a file, the error names the file and the signal; Vitest itself says only that a worker
 * exited, and `npm test` runs that file once more (dev/run-tests.ts). And the CPU time of each file
 * is written to the file that SLUICE_TEST_CPU_FILE names, one JSON object a line.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type WorkerRequest,
} from 'vitest/node'

const name = 'test-forks'

/** A line of SLUICE_TEST_CPU_FILE. */
export interface FileCpu {
  /** Relative to the root of the run. */
  readonly file: string
  readonly seconds: number
}

/** A test process ended before the last test of its files. */
export class ForkEndedError extends Error {
  readonly files: readonly string[]

  constructor(files: readonly string[], how: string) {
    super(`The test process ended with ${how} while it ran ${files.join(', ')}`)
    this.name = 'ForkEndedError'
    this.files = files
  }
}

export const testForks: PoolRunnerInitializer = {
  name,
  createPoolWorker: (options) => new TestFork(options),
}

class TestFork extends ForksPoolWorker {
  override readonly name = name
  readonly #root: string
  readonly #cpuFile: string | undefined
  #files: readonly string[] = []
  /** Whether its end is unexpected. */
  #isWatched = false
  #cpuSecondsBefore = 0
  #report: (error: Error) => void = () => undefined

  constructor(options: PoolOptions) {
    super(options)
    this.#root = options.project.config.root
    this.#cpuFile = options.env['SLUICE_TEST_CPU_FILE']
  }

  override on(event: string, callback: (argument?: unknown) => void): void {
    if (event === 'error') this.#report = callback
    if (event === 'exit') this.#watch(callback)
    else super.on(event, callback)
  }

  override off(event: string, callback: (argument?: unknown) => void): void {
    if (event === 'exit') this.#isWatched = false
    else super.off(event, callback)
  }

  #watch(callback: () => void): void {
    this.#isWatched = true
    super.on('exit', (...[code, signal]: unknown[]) => {
      if (!this.#isWatched) return
      const how = typeof signal === 'string' ? signal : `exit code ${code}`
      this.#reportQuietly(new ForkEndedError(this.#files, how))
      // Vitest marks the process as ended, and its own error is the second one, which has no
      // listener any more.
      try {
        callback()
      } catch {}
    })
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run') {
      this.#files = message.context.files.map(({ filepath }) => relative(this.#root, filepath))
      this.#cpuSecondsBefore = this.#cpuSeconds()
    }
    super.send(message)
  }

  override deserialize(data: unknown): unknown {
    const message = data as { readonly type?: unknown } | undefined
    if (message?.type === 'testfileFinished' && this.#cpuFile !== undefined) {
      const seconds = this.#cpuSeconds() - this.#cpuSecondsBefore
      const line: FileCpu = { file: this.#files.join(), seconds }
      appendFileSync(this.#cpuFile, `${JSON.stringify(line)}\n`)
    }
    return super.deserialize(data)
  }

  /** With the children that have ended, such as the product of a file. */
  #cpuSeconds(): number {
    const pid = this['_fork']?.pid
    return pid === undefined ? 0 : cpuSecondsOf(pid)
  }

  /** Without a listener, no file was running. */
  #reportQuietly(error: Error): void {
    try {
      this.#report(error)
    } catch {}
  }
}

const ticksPerSecond = 100

/** CPU time of a process and of its children that have ended; 0 where there is no `/proc`. */
function cpuSecondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program name, in parentheses, may contain spaces. User and system time follow, first of
    // the process and then of its children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / ticksPerSecond
  } catch {
    return 0
  }
}
