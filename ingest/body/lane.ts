/** Lets a few works run at a time and the others wait in line, a bounded number of them. */
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
   * @param isOver asked when the turn has come: work that nobody waits for any more is not begun.
   * @returns `overloaded` when the line is full; and when it was over, which nobody is there to read.
   */
  async run<T>(work: () => Promise<T>, isOver: () => boolean): Promise<T | 'overloaded'> {
    // Whoever ends hands its place on, so that nobody who comes later can take it.
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
