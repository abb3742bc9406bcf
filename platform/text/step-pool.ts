/**
 * The work that rules of many projects may cause together in one range. Every project has a small
 * share of its own, so that the rules of others never keep its own from being looked at; what it
 * needs beyond comes from the pool, up to a limit for each project.
 */
export class StepPool {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}

export interface StepShare {
  /** Steps that a project has in any case. */
  readonly ownSteps: number
  /** Steps of one project, with its own. */
  readonly stepsMax: number
}

/** The work of the rules of one project. */
export class PooledSteps {
  readonly #pool: StepPool
  readonly #share: StepShare
  #used = 0

  constructor(pool: StepPool, share: StepShare) {
    this.#pool = pool
    this.#share = share
  }

  spend(steps: number): void {
    const { ownSteps } = this.#share
    const before = Math.max(this.#used, ownSteps)
    this.#used += steps
    if (this.#used > before) this.#pool.spend(this.#used - before)
  }

  get isSpent(): boolean {
    const { ownSteps, stepsMax } = this.#share
    return this.#used > stepsMax || (this.#used > ownSteps && this.#pool.isSpent)
  }
}
