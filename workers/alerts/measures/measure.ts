import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'

export interface MeasureContext {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly clock: Pick<Clock, 'nowMs'>
}

export const measureTypes = ['crash_free_rate', 'outcomes', 'bounce_rate'] as const
export type MeasureType = (typeof measureTypes)[number]
export type MeasureCondition<Type extends MeasureType = MeasureType> = Extract<
  AlertCondition,
  { type: Type }
>

/** A condition about a measure, of an enabled rule. */
export interface MeasuredRule<Type extends MeasureType = MeasureType> {
  readonly ruleId: string
  readonly projectId: number
  readonly organizationId: string
  readonly condition: MeasureCondition<Type>
  /** Those that the rule chooses; undefined: all. */
  readonly environments: readonly string[] | undefined
}

/** Undefined in place of one: too little is known, and nothing changes. */
export interface Measured {
  readonly isOver: boolean
  readonly reason: string
  readonly numbers: Readonly<Record<string, number>>
}

/** Measures all rules at once. Returns one result for each, in their order. */
export type Measure<Type extends MeasureType> = (
  ctx: MeasureContext,
  rules: readonly MeasuredRule<Type>[],
) => Promise<readonly (Measured | undefined)[]>

/** Two digits, because the threshold may have them. */
export function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100
}

/** Ids of projects travel in the URL of a query. */
export const projectsPerQueryMax = 1_000

export function* inChunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
