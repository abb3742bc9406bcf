/**
 * How many units to ask for: about what the project uses in a second, so that a lease costs one statement a second and a
 * process that dies strands little. The store may give less (near the limit) and gives more when more events wait.
 */
import { quotaLeaseUnitsMax } from '#schemas/limits.ts'

/** What became of the block before. */
export interface BlockUse {
  readonly units: number
  readonly charged: number
  /** From its grant until now. */
  readonly elapsedMs: number
}

/** Of a project that was quiet. What it does not use it gives back after a second. */
export const blockUnitsMin = 16
/** A burst is followed in a few steps: its first microseconds say nothing about its rate. */
const growthMax = 8

export function sizeBlock(before: BlockUse | undefined): number {
  if (before === undefined) return blockUnitsMin
  const perSecond = (before.charged * 1000) / Math.max(1, before.elapsedMs)
  const units = Math.min(Math.ceil(perSecond), before.units * growthMax, quotaLeaseUnitsMax)
  return Math.max(blockUnitsMin, units)
}
