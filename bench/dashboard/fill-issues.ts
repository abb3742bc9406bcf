/**
 * Writes the issues, releases and monitors that belong to the events of fill-events.ts into
 * Postgres, with the counts and times of those events.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'

const issuesPerStatement = 10_000
const monitorCount = 50
const runsPerMonitor = 500

interface IssueRow {
  readonly hash: string
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly count: number
  readonly first: number
  readonly last: number
  readonly first_release: string
  readonly last_release: string
}

export async function fillIssues(
  stores: { readonly clickhouse: ClickHouseClient; readonly pg: Pool },
  project: { readonly projectId: number },
): Promise<void> {
  await stores.pg.query(`insert into issue_numbers (project_id, last_no) values ($1, 10000000)`, [
    project.projectId,
  ])
  const result = await stores.clickhouse.query({
    query: `select toString(fingerprint) as hash, any(title) as title, any(culprit) as culprit, any(level) as level,
        toFloat64(count()) as count, toFloat64(toUnixTimestamp64Milli(min(received_at))) as first, toFloat64(toUnixTimestamp64Milli(max(received_at))) as last,
        argMin(release, received_at) as first_release, argMax(release, received_at) as last_release
      from events where project_id = ${project.projectId} group by fingerprint order by first, hash`,
    format: 'JSONEachRow',
  })
  let shortNo = 0
  let batch: IssueRow[] = []
  for await (const rows of result.stream<IssueRow>()) {
    for (const row of rows) batch.push(row.json())
    if (batch.length < issuesPerStatement) continue
    await insertIssues(stores.pg, project.projectId, batch, shortNo)
    shortNo += batch.length
    batch = []
  }
  await insertIssues(stores.pg, project.projectId, batch, shortNo)
  await fillReleases(stores, project.projectId)
  await fillMonitors(stores.pg, project.projectId)
}

async function insertIssues(
  pg: Pool,
  projectId: number,
  rows: readonly IssueRow[],
  shortNo: number,
): Promise<void> {
  const column = <Name extends keyof IssueRow>(name: Name) => rows.map((row) => row[name])
  await pg.query(
    `with given as (
       select *, $2::int + row_number() over () as no
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::float8[], $9::float8[], $10::text[], $11::text[])
         as g (hash, title, culprit, level, count, first, last, first_release, last_release)
     ), made as (
       insert into issues (id, project_id, short_no, title, culprit, level, platform, status, substatus, count,
         first_seen, last_seen, first_release, last_release, created_at, resolved_at)
       select gen_random_uuid(), $1, no, title, culprit, level, 'node',
         case when no % 10 < 6 then 'unresolved' when no % 10 < 9 then 'resolved' else 'ignored' end,
         case when no % 10 >= 6 then null when no % 50 = 1 then 'new' else 'ongoing' end,
         count, to_timestamp(first / 1000), to_timestamp(last / 1000), first_release, last_release,
         to_timestamp(first / 1000), case when no % 10 in (6, 7, 8) then now() end
       from given returning id, short_no
     ), hashes as (
       insert into issue_hashes (project_id, hash, issue_id, explanation)
       select $1, given.hash::uuid, made.id, '{"algorithm":"v1","path":"stack","summary":"by the stack trace"}'
       from given join made on made.short_no = given.no
     )
     insert into hash_sums (project_id, hash, count, sampled_count, first_seen, last_seen, first_release, last_release,
       title, culprit, level, platform)
     select $1, hash::uuid, count, 0, to_timestamp(first / 1000), to_timestamp(last / 1000), first_release,
       last_release, title, culprit, level, 'node' from given`,
    [
      ...[projectId, shortNo, column('hash'), column('title'), column('culprit'), column('level')],
      ...[column('count'), column('first'), column('last')],
      ...[column('first_release'), column('last_release')],
    ],
  )
}

async function fillReleases(
  { clickhouse, pg }: { readonly clickhouse: ClickHouseClient; readonly pg: Pool },
  projectId: number,
): Promise<void> {
  const result = await clickhouse.query({
    query: `select release as version, toFloat64(count()) as count, toFloat64(toUnixTimestamp64Milli(min(received_at))) as first,
      toFloat64(toUnixTimestamp64Milli(max(received_at))) as last from events where project_id = ${projectId} group by release`,
    format: 'JSONEachRow',
  })
  for (const { version, count, first, last } of await result.json<Record<string, never>>()) {
    await pg.query(
      `insert into releases (project_id, version, first_event_at, last_event_at, event_count, first_session_at, last_session_at)
       values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000))`,
      [projectId, version, first, last, count],
    )
  }
}

async function fillMonitors(pg: Pool, projectId: number): Promise<void> {
  await pg.query(
    `with made as (
       insert into monitors (id, project_id, slug, partition_hash, schedule)
       select gen_random_uuid(), $1, 'job-' || n, n, '{"type":"interval","value":1,"unit":"hour"}'
       from generate_series(1, ${monitorCount}) n returning id, slug
     ), environments as (
       insert into monitor_environments (monitor_id, environment, partition_hash, last_check_in_at, last_ok_at,
         incident_kind, incident_opened_at)
       select id, 'production', 1, now(), now(), case when slug like '%7' then 'error' end,
         case when slug like '%7' then now() - interval '1 hour' end
       from made
     )
     insert into monitor_runs (project_id, id, monitor_id, environment, status, result, started_at, closed_at, duration_ms, at)
     select $1, gen_random_uuid(), id, 'production', 'closed', case when n % 50 = 0 then 'error' else 'ok' end,
       now() - make_interval(hours => n), now() - make_interval(hours => n), 1000 + n, now() - make_interval(hours => n)
     from made, generate_series(1, ${runsPerMonitor}) n`,
    [projectId],
  )
}
