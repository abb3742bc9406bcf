/**
 * The work that the rules of one project may cause in one range, in steps of some nanoseconds:
 * about a third of a second. No rules and no events keep a range from being digested in time.
 */
export const alertStepsMax = 100_000_000
/** The same for all projects of a range: about a second. */
export const rangeStepsMax = 400_000_000
/** Steps of a condition that looks at one short text. */
export const conditionSteps = 8

export class StepBudget {
  left: number

  constructor(steps = alertStepsMax) {
    this.left = steps
  }

  spend(steps: number): void {
    this.left -= steps
  }

  get isSpent(): boolean {
    return this.left < 0
  }
}
