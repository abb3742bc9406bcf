import type { ApiContext } from '../../context.ts'
import { claimImport } from './contact-import-store.ts'
import { runImport } from './run-import.ts'

/** How soon an import goes on whose process died; one that was just uploaded does not wait. */
const lookEveryMs = 15_000

/** Runs imports one after another in this process, while others do the same: the lease says who has which. */
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

  /** What is not done by then goes on in another process: a batch is whole or not at all. */
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
      this.#ctx.log.warn({ code: 'import_waits', err: error }, 'An import waits; trying again.')
    }
  }
}
