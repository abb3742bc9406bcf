/** Runs a limited number of tasks at a time. A limited number of others queues. */
export class Lane {
  readonly #runningMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax
    this.#waitingMax = waitingMax
  }

  /**
   * @param isOver checked before a queued task starts: a task whose result is no longer needed does
   * not run.
   * @returns `overloaded` when the queue is full, or when the task was not run.
   */
  async run<T>(work: () => Promise<T>, isOver: () => boolean): Promise<T | 'overloaded'> {
    // A task that ends passes its slot on, so that no later task can take it.
    if (this.#running < this.#runningMax) this.#running += 1
    else if (this.#waiting.length < this.#waitingMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else return 'overloaded'
    try {
      return isOver() ? 'overloaded' : await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
