import type { ApiContext } from '../../context.ts'
import { claimImport } from './contact-import-store.ts'
import { runImport } from './run-import.ts'

/** Interval of the check for imports of processes that died. An upload is started at once. */
const lookEveryMs = 15_000

/** Runs imports one at a time in this process. Their leases let several processes do the same. */
export class ImportRunner {
  readonly #ctx: Pick<ApiContext, 'pg' | 'clock' | 'log'>
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #again = false
  #closed = false

  constructor(ctx: Pick<ApiContext, 'pg' | 'clock' | 'log'>) {
    this.#ctx = ctx
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), lookEveryMs)
    this.#timer.unref()
  }

  wake(): void {
    if (this.#closed) return
    this.#again = true
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
      if (this.#again) this.wake()
    })
  }

  /** Stops after the current batch. Another process continues when the lease has expired. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #work(): Promise<void> {
    this.#again = false
    try {
      while (!this.#closed) {
        const claimed = await claimImport(this.#ctx.pg)
        if (claimed === undefined) return
        await runImport(this.#ctx, claimed, () => this.#closed)
      }
    } catch (error) {
      this.#again = false
      this.#ctx.log.warn(
        { code: 'import_waits', err: error },
        'Contact imports could not be claimed or run; retrying in 15 s.',
      )
    }
  }
}
