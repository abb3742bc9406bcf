/**
 * The work that a range may spend on ownership rules: of one project about a tenth of a second,
 * and of all half a second beyond the share that every project has. With any rules and events a
 * range is digested in time, and rules of one project do not keep others from theirs; issues beyond
 * have no owner.
 */
import { PooledSteps, StepPool, type StepShare } from '../text/step-pool.ts'

export const matchPoolSteps = 25_000_000
export const matchShare: StepShare = { ownSteps: 250_000, stepsMax: 5_000_000 }

export class MatchBudget {
  readonly #steps: Pick<PooledSteps, 'spend' | 'isSpent'>

  constructor(
    steps: Pick<PooledSteps, 'spend' | 'isSpent'> = new PooledSteps(
      new StepPool(matchPoolSteps),
      matchShare,
    ),
  ) {
    this.#steps = steps
  }

  /** Returns false if nothing is left. */
  spend(steps: number): boolean {
    this.#steps.spend(steps)
    return !this.#steps.isSpent
  }
}
