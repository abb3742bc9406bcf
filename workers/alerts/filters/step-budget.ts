/**
 * The work that alert rules may cause in one range: those of one project about a twentieth of a
 * second, and those of all about a quarter of a second beyond the share that every project has. No
 * rules and no events keep a range from being digested in time.
 */
import type { PooledSteps, StepShare } from '#platform/text/step-pool.ts'

export const alertPoolSteps = 100_000_000
export const alertShare: StepShare = { ownSteps: 200_000, stepsMax: 20_000_000 }

/**
 * For each condition of a rule that a match, a release or a user is handed to: the commit writes
 * and reads rows for it, which takes longer than comparing texts.
 */
export const conditionSteps = 500
export const userSteps = 200

export type StepBudget = Pick<PooledSteps, 'spend'>
