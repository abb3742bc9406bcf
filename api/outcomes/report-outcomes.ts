/** The outcomes of a project in a time range, by hour or day and by the requested groups. */
import type { OutcomeQuery, OutcomeReport } from '#schemas/rest/outcome-report.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { findPublicKeys, type StoredOutcome, sumArrivals, sumOutcomes } from './outcome-store.ts'

const rowsMax = 10_000
const hourMs = 3_600_000

const intervals = {
  hour: { stepMs: hourMs, defaultMs: 24 * hourMs, spanMsMax: 31 * 24 * hourMs },
  day: { stepMs: 24 * hourMs, defaultMs: 30 * 24 * hourMs, spanMsMax: 732 * 24 * hourMs },
} as const

export async function reportOutcomes(
  project: StoredProject,
  query: OutcomeQuery,
  ctx: ApiContext,
): Promise<OutcomeReport> {
  const range = rangeOf(query, ctx.clock.nowMs())
  const accounting = { projectId: project.dsnId, ...range, sdk: query.sdk }
  const [rows, arrivals] = await Promise.all([
    sumOutcomes(ctx.clickhouse, { ...accounting, groups: query.group_by, limit: rowsMax + 1 }),
    sumArrivals(ctx.clickhouse, accounting),
  ])
  if (rows.length > rowsMax) {
    const rule = `gives more than ${rowsMax} rows: group by less, or ask for a shorter time`
    throw invalidField('group_by', rule)
  }
  const keyNos = new Set(rows.flatMap((row) => row.key ?? []))
  const publicKeys = await findPublicKeys(ctx.pg, [...keyNos])
  const items = rows.map((row) => itemOf(row, publicKeys))
  return { items, totals: totalsOf(items), arrivals }
}

/** Rounds down to a full bucket, or the same request a minute later would count less. */
export function rangeOf(query: Pick<OutcomeQuery, 'since' | 'until' | 'interval'>, nowMs: number) {
  const { stepMs, defaultMs, spanMsMax } = intervals[query.interval]
  const untilMs = query.until === undefined ? nowMs : Date.parse(query.until)
  const sinceMs = query.since === undefined ? untilMs - defaultMs : Date.parse(query.since)
  if (sinceMs >= untilMs) throw invalidField('since', 'must be before until')
  if (untilMs - sinceMs > spanMsMax) {
    const days = spanMsMax / (24 * hourMs)
    throw invalidField(
      'since',
      `must be at most ${days} days before until with interval=${query.interval}`,
    )
  }
  return {
    sinceMs: Math.floor(sinceMs / stepMs) * stepMs,
    untilMs,
    stepSeconds: stepMs / 1000,
  }
}

type Item = OutcomeReport['items'][number]
type Total = OutcomeReport['totals'][number]

function itemOf(row: StoredOutcome, publicKeys: ReadonlyMap<number, string>): Item {
  const { at, reason, key, component, sdk, ...rest } = row
  return {
    at: new Date(at * 1000).toISOString(),
    ...rest,
    ...(reason === undefined ? {} : { reason: reason || null }),
    ...(key === undefined ? {} : { key: publicKeys.get(key) ?? null }),
    ...(component === undefined ? {} : { component: component || null }),
    ...(sdk === undefined ? {} : { sdk: sdk || null }),
  }
}

function totalsOf(items: readonly Item[]): Total[] {
  const totals = new Map<string, Total>()
  for (const { at: _, quantity, ...group } of items) {
    const name = JSON.stringify(Object.entries(group).sort())
    const total = totals.get(name)
    if (total === undefined) totals.set(name, { ...group, quantity })
    else total.quantity += quantity
  }
  return [...totals.values()].sort((a, b) => b.quantity - a.quantity)
}
