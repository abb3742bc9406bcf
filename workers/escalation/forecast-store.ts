/** Forecasts of issues in Postgres, and the events in ClickHouse that they are made of. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { byIndexes } from '../retention/indexed-query-store.ts'
import type { SweepPosition } from '../retention/sweep-position-store.ts'
import type { HourForecast } from './forecast.ts'

/** Forecasts younger than this are kept. */
const keptFor = '20 hours'
/** An issue with fewer events has no forecast: the commit's rule for quiet issues is enough. */
const countMin = 168
/** The newest hashes of an issue; further ones are not counted. */
const hashesPerIssueMax = 10_000
/** Bounds the length of a query, which contains the hashes, and its result. */
const hashesPerQueryMax = 500

export interface DueIssue {
  readonly id: string
  readonly projectId: ProjectId
  readonly createdAt: Date
  /** Events of the project are stored for so many days. */
  readonly retentionDays: number
}

export interface DuePage {
  readonly examined: number
  readonly due: readonly DueIssue[]
  readonly last: SweepPosition | undefined
}

/**
 * Those of the next issues, by id, that may escalate and whose forecast is missing or old. That of
 * an issue without events in the last four weeks stays: it expects nothing.
 */
export async function findDueIssues(
  pg: Pool,
  page: {
    now: Date
    retentionDays: number
    after: SweepPosition | undefined
    rowsMax: number
  },
): Promise<DuePage> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<{
      id: string
      project_id: ProjectId
      created_at: Date
      retention_days: number
      is_due: boolean
    }>(
      `select issue.id, issue.project_id, issue.created_at,
         coalesce((project.settings ->> 'retention_days')::int, $2::int) as retention_days,
         issue.merged_into is null and issue.count >= ${countMin}
           and (issue.status = 'unresolved' or issue.status = 'ignored' and issue.ignored_until_escalating)
           and (forecast.made_at is null
             or forecast.made_at < $1::timestamptz - interval '${keptFor}'
               and issue.last_seen > forecast.made_at - interval '29 days') as is_due
       from (select * from issues where $3::uuid is null or id > $3 order by id limit $4) issue
       join projects project on project.dsn_id = issue.project_id
       left join issue_forecasts forecast on forecast.issue_id = issue.id
       order by issue.id`,
      [page.now, page.retentionDays, page.after?.[0] ?? null, page.rowsMax],
    ),
  )
  const last = rows.at(-1)
  return {
    examined: rows.length,
    due: rows
      .filter(({ is_due }) => is_due)
      .map((row) => ({
        id: row.id,
        projectId: row.project_id,
        createdAt: row.created_at,
        retentionDays: row.retention_days,
      })),
    last: last && [last.id],
  }
}

export interface IssueHash {
  readonly issueId: string
  readonly projectId: ProjectId
  readonly hash: string
}

export async function hashesOfIssues(pg: Pool, issueIds: readonly string[]): Promise<IssueHash[]> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<IssueHash>(
      `select wanted.id as "issueId", h.project_id as "projectId", h.hash
       from unnest($1::uuid[]) as wanted (id)
       cross join lateral (
         select project_id, hash from issue_hashes where issue_id = wanted.id
         order by created_at desc, hash limit ${hashesPerIssueMax}
       ) h`,
      [issueIds],
    ),
  )
  return rows
}

/**
 * Events of each issue by hour of receipt, in hours since 1970. A row of a sample and the events
 * that it stands for were received in one hour.
 *
 * @param hashes UUIDs from Postgres.
 */
export async function countByHour(
  clickhouse: ClickHouseClient,
  hashes: readonly IssueHash[],
  hours: { fromHour: number; toHour: number },
): Promise<Map<string, Map<number, number>>> {
  const counts = new Map<string, Map<number, number>>()
  for (let start = 0; start < hashes.length; start += hashesPerQueryMax) {
    const part = hashes.slice(start, start + hashesPerQueryMax)
    const owners = new Map(part.map((each) => [`${each.projectId} ${each.hash}`, each.issueId]))
    const projects = [...new Set(part.map(({ projectId }) => projectId))]
    const result = await clickhouse.query({
      query: `select toUInt64(project_id) as project, toString(fingerprint) as hash,
                intDiv(toUnixTimestamp(received_at), 3600) as hour,
                toUInt64(sum(1 + length(sampled_ids))) as events
              from events
              where project_id in (${projects.join(', ')})
                and fingerprint in (${part.map(({ hash }) => `'${hash}'`).join(', ')})
                and received_at >= toDateTime(${hours.fromHour * 3600}, 'UTC')
                and received_at < toDateTime(${hours.toHour * 3600}, 'UTC')
              group by project, hash, hour`,
      format: 'JSONEachRow',
    })
    const rows = await result.json<{
      project: string | number
      hash: string
      hour: number
      events: string | number
    }>()
    for (const { project, hash, hour, events } of rows) {
      const issueId = owners.get(`${project} ${hash}`)
      if (issueId === undefined) continue
      const ofIssue = counts.get(issueId) ?? new Map<number, number>()
      ofIssue.set(hour, (ofIssue.get(hour) ?? 0) + Number(events))
      counts.set(issueId, ofIssue)
    }
  }
  return counts
}

/** Skips issues that were deleted meanwhile. */
export async function saveForecasts(
  pg: Pool,
  madeAt: Date,
  forecasts: readonly { readonly issueId: string; readonly forecast: HourForecast }[],
): Promise<void> {
  const array = (values: readonly number[]) => `{${values.join(',')}}`
  await pg.query(
    `insert into issue_forecasts (issue_id, made_at, expected, limits)
     select made.issue_id, $2, expected::int[], limits::int[]
     from unnest($1::uuid[], $3::text[], $4::text[]) as made (issue_id, expected, limits)
     where exists (select from issues where id = made.issue_id for key share)
     order by made.issue_id
     on conflict (issue_id) do update set made_at = excluded.made_at,
       expected = excluded.expected, limits = excluded.limits`,
    [
      forecasts.map(({ issueId }) => issueId),
      madeAt,
      forecasts.map(({ forecast }) => array(forecast.expected)),
      forecasts.map(({ forecast }) => array(forecast.limits)),
    ],
  )
}
