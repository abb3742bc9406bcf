/** The share of a project's items that were rejected, dropped by the client, or the like. */
import { formatWindow } from '../format-window.ts'
import {
  inChunks,
  type Measure,
  type MeasureContext,
  percentOf,
  projectsPerQueryMax,
} from './measure.ts'

interface OutcomeCount {
  readonly project_id: number
  /** Seconds since 1970. */
  readonly hour: number
  readonly outcome: string
  readonly quantity: number
}

const hourSeconds = 3_600

export const measureOutcomes: Measure<'outcomes'> = async (ctx, rules) => {
  const windows = rules.map(({ condition }) => condition.window_seconds)
  const projects = [...new Set(rules.map(({ projectId }) => projectId))]
  const nowSeconds = Math.floor(ctx.clock.nowMs() / 1000)
  // The books are kept by the hour; the hour of the window's start counts.
  const sinceOf = (window: number) => Math.floor((nowSeconds - window) / hourSeconds) * hourSeconds
  const counts = await readOutcomes(ctx, projects, sinceOf(Math.max(...windows)))
  return rules.map(({ projectId, condition }) => {
    const { outcomes, percent, items_min, window_seconds } = condition
    const since = sinceOf(window_seconds)
    let all = 0
    let part = 0
    for (const { hour, outcome, quantity } of counts.get(projectId) ?? []) {
      if (hour < since) continue
      all += quantity
      if ((outcomes as readonly string[]).includes(outcome)) part += quantity
    }
    if (all < items_min || all <= 0) return undefined
    const share = percentOf(part, all)
    return {
      isOver: share > percent,
      reason: `${share} percent of ${all} items were ${outcomes.join(' or ')} in ${formatWindow(window_seconds)}; the rule's limit is ${percent}.`,
      numbers: { percent: share, above_percent: percent, items: all, window_seconds },
    }
  })
}

async function readOutcomes(
  { clickhouse }: MeasureContext,
  projects: readonly number[],
  since: number,
): Promise<Map<number, OutcomeCount[]>> {
  const counts = new Map<number, OutcomeCount[]>()
  for (const some of inChunks(projects, projectsPerQueryMax)) {
    const result = await clickhouse.query({
      query: `select project_id, toUnixTimestamp(hour) as hour, outcome, sum(quantity) as quantity from outcomes
        where project_id in {projects:Array(UInt64)} and outcomes.hour >= fromUnixTimestamp({since:Int64})
        group by project_id, hour, outcome`,
      query_params: { projects: some, since },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    })
    for (const row of await result.json<OutcomeCount>()) {
      const known = counts.get(row.project_id)
      if (known === undefined) counts.set(row.project_id, [row])
      else known.push(row)
    }
  }
  return counts
}
