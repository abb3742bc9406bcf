/**
 * The work that a range may spend on ownership rules: about a tenth of a second. With any rules
 * and events a range is digested in time; issues beyond have no owner.
 */
export const matchStepsMax = 5_000_000

export class MatchBudget {
  #left: number

  constructor(steps = matchStepsMax) {
    this.#left = steps
  }

  /** Returns false if nothing is left. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }
}
