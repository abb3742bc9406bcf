/**
 * The work that the rules of one project may cause in one range: about a twentieth of a second.
 * No rules and no events keep a range from being digested in time.
 */
export const alertStepsMax = 20_000_000

export class StepBudget {
  #left: number

  constructor(steps = alertStepsMax) {
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}
