/**
 * Sizes the next block of units: about the events of the project in one second. A lease then costs
 * one statement a second, and few units are lost when a process crashes. The store may grant less
 * (near the limit) or more (when more events wait).
 */
import { quotaLeaseUnitsMax } from '#schemas/limits.ts'

/** Use of the previous block. */
export interface BlockUse {
  readonly units: number
  readonly charged: number
  /** From the grant until now. */
  readonly elapsedMs: number
}

/** Block of a project that was quiet. Unused units are given back after a second. */
export const blockUnitsMin = 16
/**
 * Limits growth per block, because the first microseconds of a burst say nothing about its rate.
 */
const growthMax = 8

export function sizeBlock(before: BlockUse | undefined): number {
  if (before === undefined) return blockUnitsMin
  const perSecond = (before.charged * 1000) / Math.max(1, before.elapsedMs)
  const units = Math.min(Math.ceil(perSecond), before.units * growthMax, quotaLeaseUnitsMax)
  return Math.max(blockUnitsMin, units)
}
