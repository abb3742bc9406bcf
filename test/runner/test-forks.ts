/**
 * The processes in which Vitest runs the test files, with one addition: when a process ends while
 * it runs a file, the error names the file and the signal. Vitest itself says only that a worker
 * exited. `npm test` then runs that file once more (dev/run-tests.ts).
 */
import { relative } from 'node:path'
import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type WorkerRequest,
} from 'vitest/node'

const name = 'test-forks'

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
  #files: readonly string[] = []
  /** Whether its end is unexpected. */
  #isWatched = false
  #report: (error: Error) => void = () => undefined

  constructor(options: PoolOptions) {
    super(options)
    this.#root = options.project.config.root
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
    }
    super.send(message)
  }

  /** Without a listener, no file was running. */
  #reportQuietly(error: Error): void {
    try {
      this.#report(error)
    } catch {}
  }
}
