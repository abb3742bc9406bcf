/**
 * The work that the grouping rules of a project may take for one event: about a millisecond. It
 * depends on the rules and the event alone, so that the same event is grouped in the same way
 * everywhere. Nothing matches any more when it is spent.
 */
const stepsMax = 500_000

export class RuleBudget {
  #left = stepsMax

  spend(steps: number): void {
    this.#left -= steps
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}
