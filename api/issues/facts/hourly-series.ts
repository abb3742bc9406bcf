/** The hours of an issue with many events, and how many of them its tags are counted of. */
import type { ProjectId } from '#schemas/ids.ts'
import { seriesDays } from '#schemas/rest/issue.ts'
import type { ClickHouse } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'
import { seriesFrom } from '../issue-stats.ts'
import { rowWeight } from '../row-weight.ts'

const hourMs = 3_600_000
const dayHours = 24
const dayMs = dayHours * hourMs

/** Events per hour of the last 30 days, which begin and end with a day (UTC). */
export async function readHourlySeries(
  clickhouse: ClickHouse,
  lookup: { projectId: ProjectId; hashes: readonly string[]; nowMs: number },
): Promise<number[]> {
  const from = firstHourOf(lookup.nowMs)
  const rows = await clickhouse.select<{ hour: number; events: number }>(
    `select intDiv(toUnixTimestamp(received_at), 3600) as hour, sum(${rowWeight}) as events
     from events
     where project_id = {project:UInt64} and ${isOneOfHashes}
       and received_at >= fromUnixTimestamp64Milli({since:Int64})
     group by hour`,
    {
      project: lookup.projectId,
      hashes: joinHashes(lookup.hashes),
      since: from * hourMs,
    },
  )
  const hours = Object.fromEntries(rows.map((row) => [row.hour, row.events]))
  return seriesFrom(hours, from, seriesDays * dayHours)
}

/** The days of a series of hours. */
export function dailyOf(hourly: readonly number[]): number[] {
  return Array.from({ length: hourly.length / dayHours }, (_, day) =>
    hourly.slice(day * dayHours, (day + 1) * dayHours).reduce((sum, events) => sum + events, 0),
  )
}

/** With fewer events in the series, its hours say too little. */
const taggedEventsMin = 1_000

/** Of an issue with more events, the tags of the newest ones are counted. */
export const taggedEventsMax = 10_000

/**
 * The time since which the tags of an issue with many events are counted; undefined: all.
 * @param hourly events per hour of the last 30 days
 */
export function tagsSince(hourly: readonly number[], nowMs: number): number | undefined {
  const inSeries = hourly.reduce((sum, events) => sum + events, 0)
  if (inSeries < taggedEventsMin) return undefined
  let index = hourly.length - 1
  for (let events = 0; index > 0; index -= 1) {
    events += hourly[index]!
    if (events >= taggedEventsMax) break
  }
  return (firstHourOf(nowMs) + index) * hourMs
}

function firstHourOf(nowMs: number): number {
  return (Math.floor(nowMs / dayMs) - (seriesDays - 1)) * dayHours
}
