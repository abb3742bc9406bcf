/**
 * Sizes the next block of units: about the events of the project in one second. A lease then costs
 * one statement a second, and few units are lost when a process crashes. Blocks of slow projects
 * that are far from their limit last longer, because there may be thousands of them. The store may
 * grant less (near the limit) or more (when more events wait).
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

/** A block of a slow project that is far from its limit lasts for this time, up to this size. */
const longBlockSeconds = 30
const longBlockUnitsMax = 256

/** @param farUnits size up to which a block may last longer than a second; 0 for none. */
export function sizeBlock(before: BlockUse | undefined, farUnits = 0): number {
  if (before === undefined) return blockUnitsMin
  const perSecond = (before.charged * 1000) / Math.max(1, before.elapsedMs)
  const long = Math.min(Math.ceil(perSecond * longBlockSeconds), longBlockUnitsMax, farUnits)
  const wanted = Math.max(Math.ceil(perSecond), long)
  const units = Math.min(wanted, before.units * growthMax, quotaLeaseUnitsMax)
  return Math.max(blockUnitsMin, units)
}
