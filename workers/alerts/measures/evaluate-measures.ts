/**
 * Evaluates the conditions about measures, for all projects together. A rule fires when a measure
 * passes its limit, and again only after it was back within it.
 */
import { inTransaction } from '#platform/postgres.ts'
import { wakeRules } from '../firing-store.ts'
import { measureBounces } from './bounce-rate.ts'
import { measureCrashFree } from './crash-free-rate.ts'
import type { Measure, MeasureContext, Measured, MeasuredRule, MeasureType } from './measure.ts'
import { type MeasureChange, readMeasuredRules, saveMeasures } from './measure-store.ts'
import { measureOutcomes } from './outcome-share.ts'

/** Returns how many rules fired. One kind of measure that fails does not keep the others. */
export async function evaluateMeasures(ctx: MeasureContext): Promise<number> {
  const rules = await readMeasuredRules(ctx.pg)
  if (rules.length === 0) return 0
  const errors: unknown[] = []
  const changes: MeasureChange[] = []
  const take = async <Type extends MeasureType>(type: Type, measure: Measure<Type>) => {
    const own = rules.filter(
      ({ condition }) => condition.type === type,
    ) as unknown as MeasuredRule<Type>[]
    if (own.length === 0) return
    try {
      changes.push(...changesOf(own as unknown as readonly MeasuredRule[], await measure(ctx, own)))
    } catch (error) {
      errors.push(error)
    }
  }
  await take('crash_free_rate', measureCrashFree)
  await take('outcomes', measureOutcomes)
  await take('bounce_rate', measureBounces)
  const fired = await save(ctx, changes)
  if (errors.length > 0) throw new AggregateError(errors, 'a measure could not be evaluated')
  return fired
}

function changesOf(
  rules: readonly MeasuredRule[],
  measured: readonly (Measured | undefined)[],
): readonly MeasureChange[] {
  return rules.flatMap((rule, index) => {
    const found = measured[index]
    return found === undefined ? [] : { ...rule, ...found }
  })
}

function save({ pg, clock }: MeasureContext, changes: readonly MeasureChange[]): Promise<number> {
  if (changes.length === 0) return Promise.resolve(0)
  return inTransaction(pg, async (client) => {
    const fired = await saveMeasures(client, changes, new Date(clock.nowMs()))
    if (fired.length > 0) await wakeRules(client, fired)
    return fired.length
  })
}
