/** The days of an issue with many events, and how many of them its tags are counted of. */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesDays } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import { seriesFrom } from '../issue-stats.ts'
import { rowWeight } from '../row-weight.ts'

const dayMs = 86_400_000

/** Events per day of the last 30 days. */
export async function readDailySeries(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; nowMs: number },
): Promise<number[]> {
  const from = Math.floor(lookup.nowMs / dayMs) - (seriesDays - 1)
  const rows = await clickhouse.select<{ day: number; events: number }>(
    `select intDiv(toUnixTimestamp(received_at), 86400) as day, sum(${rowWeight}) as events
     from events
     where project_id = {project:UInt64} and ${isOneOfHashes}
       and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by day`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: from * dayMs,
    },
  )
  const days = Object.fromEntries(rows.map((row) => [row.day, row.events]))
  return seriesFrom(days, from, seriesDays)
}

/** With fewer events in the series, its days say too little. */
const taggedEventsMin = 1_000

/** Of an issue with more events, the tags of the newest ones are counted. */
export const taggedEventsMax = 50_000

/**
 * The time since which the tags of an issue with many events are counted; undefined: all.
 * @param daily events per day, the last day being today
 */
export function tagsSince(daily: readonly number[], nowMs: number): number | undefined {
  const inSeries = daily.reduce((sum, events) => sum + events, 0)
  if (inSeries < taggedEventsMin) return undefined
  let day = Math.floor(nowMs / dayMs)
  let events = 0
  for (const ofDay of [...daily].reverse()) {
    events += ofDay
    if (events >= taggedEventsMax) return day * dayMs
    day -= 1
  }
  return (day + 1) * dayMs
}
