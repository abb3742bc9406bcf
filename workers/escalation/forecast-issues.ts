/**
 * The job `forecast_issues`: walks the issues and forecasts the events of those that may escalate.
 * A run that is interrupted goes on where it stopped. Commits compare with what it wrote
 * (commit/issue-count-store.ts).
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { sweep } from '../retention/sweep-position-store.ts'
import { forecastHours, forecastHoursOf } from './forecast.ts'
import {
  countByHour,
  type DueIssue,
  findDueIssues,
  hashesOfIssues,
  saveForecasts,
} from './forecast-store.ts'

const rowsPerPage = 2_000
/** 100,000 issues an hour. */
const pagesMax = 50
/** Issues whose events one query counts. */
const issuesPerQuery = 100
const hourMs = 3_600_000

export interface ForecastJob {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly now: Date
  /** Of projects that have not chosen their own. */
  readonly retentionDays: number
  readonly signal: AbortSignal
}

/** Returns how many forecasts were written. */
export function forecastIssues(job: ForecastJob): Promise<number> {
  const { pg, now, retentionDays, signal } = job
  return sweep({
    pg,
    name: 'issue_forecasts',
    rowsPerPage,
    pagesMax,
    signal,
    page: async (after, rowsMax) => {
      const page = await findDueIssues(pg, { now, retentionDays, after, rowsMax })
      let written = 0
      for (let start = 0; start < page.due.length; start += issuesPerQuery) {
        if (signal.aborted) break
        written += await forecast(job, page.due.slice(start, start + issuesPerQuery))
      }
      return { examined: page.examined, expired: written, last: page.last }
    },
  })
}

async function forecast(
  { pg, clickhouse, now }: ForecastJob,
  due: readonly DueIssue[],
): Promise<number> {
  const toHour = Math.floor(now.getTime() / hourMs)
  const hashes = await hashesOfIssues(
    pg,
    due.map(({ id }) => id),
  )
  const counts = await countByHour(clickhouse, hashes, { fromHour: toHour - forecastHours, toHour })
  const forecasts = due.flatMap(({ id, createdAt, retentionDays }) => {
    const forecast = forecastHoursOf({
      counts: counts.get(id) ?? new Map(),
      // Of the first hour, and of the one in which events expire, a part is missing.
      fromHour: Math.max(
        Math.ceil(createdAt.getTime() / hourMs),
        Math.ceil(now.getTime() / hourMs - retentionDays * 24),
      ),
      toHour,
    })
    return forecast === undefined ? [] : [{ issueId: id, forecast }]
  })
  if (forecasts.length > 0) await saveForecasts(pg, new Date(toHour * hourMs), forecasts)
  return forecasts.length
}
