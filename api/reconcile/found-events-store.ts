/**
 * Copies sums of event rows from ClickHouse into temporary tables of the transaction in Postgres,
 * in batches, so that millions of rows and hashes need little memory here.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { PoolClient } from '#platform/postgres.ts'
import { rowsOf } from './range-note-store.ts'

/** A condition on rows of `events`, with its parameters. */
export interface RowScope {
  readonly condition: string
  readonly parameters: Readonly<Record<string, unknown>>
}

const settings = { max_bytes_before_external_group_by: '500000000' }

const occurredMs = 'toUnixTimestamp64Milli(occurred_at)'
const weight = '1 + length(sampled_ids)'
/** The latest row names the issue; the position makes the choice the same at every attempt. */
const latest = '(occurred_at, stream_generation, stream_seq, record_index)'

const issuesQuery = (condition: string) => `
  select project_id, toString(fingerprint) as hash,
    sum(${weight}) as count, sum(length(sampled_ids)) as sampled_count,
    min(${occurredMs}) as first_seen, max(${occurredMs}) as last_seen,
    greatest(max(toUnixTimestamp64Milli(received_at)),
      max(toInt64(toUnixTimestamp(arrayMax(arrayPushBack(sampled_received_at, toDateTime(0, 'UTC'))))) * 1000)) as last_received,
    min(toUnixTimestamp64Milli(received_at)) as first_received,
    argMinIf(release, occurred_at, release != '') as first_release,
    argMaxIf(release, occurred_at, release != '') as last_release,
    argMax(title, ${latest}) as title, argMax(culprit, ${latest}) as culprit,
    argMax(level, ${latest}) as level, argMax(platform, ${latest}) as platform,
    argMax(exception_type, ${latest}) as kind, argMax(grouping, ${latest}) as grouping
  from events where ${condition}
  group by project_id, fingerprint`

const releasesQuery = (condition: string) => `
  select project_id, release as version, sum(${weight}) as count,
    min(${occurredMs}) as first_event, max(${occurredMs}) as last_event
  from events where release != '' and (${condition})
  group by project_id, release`

const usageQuery = (condition: string) => `
  select project_id, toString(toDate(toStartOfMonth(received_at))) as period, sum(${weight}) as count
  from events where ${condition}
  group by project_id, period`

/** Fills `found_issues`, `found_releases` and `found_usage`. They end with the transaction. */
export async function findEvents(
  client: PoolClient,
  clickhouse: ClickHouseClient,
  { condition, parameters }: RowScope,
): Promise<void> {
  await client.query(`
    drop table if exists found_issues, found_releases, found_usage;
    create temporary table found_issues (
      project_id bigint not null, hash uuid not null, count bigint not null, sampled_count bigint not null,
      first_seen timestamptz not null, last_seen timestamptz not null,
      last_received timestamptz not null, first_received timestamptz not null,
      first_release text, last_release text, title text not null, culprit text not null,
      level text not null, platform text not null, kind text not null, further uuid[] not null,
      grouping_path text not null, issue_id uuid, is_new boolean not null default false,
      primary key (project_id, hash)
    ) on commit drop;
    create temporary table found_releases (
      project_id bigint not null, version text not null, count bigint not null,
      first_event timestamptz not null, last_event timestamptz not null, primary key (project_id, version)
    ) on commit drop;
    create temporary table found_usage (
      project_id bigint not null, period date not null, count bigint not null, primary key (project_id, period)
    ) on commit drop`)
  const copy = async (query: string, insert: string) => {
    const result = await clickhouse.query({
      query,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      clickhouse_settings: { ...settings, output_format_json_quote_64bit_integers: 0 },
    })
    for await (const rows of rowsOf<Readonly<Record<string, unknown>>>(result.stream())) {
      if (rows.length > 0) await client.query(insert, [JSON.stringify(rows.map(withGrouping))])
    }
  }
  await copy(
    issuesQuery(condition),
    `insert into found_issues (project_id, hash, count, sampled_count, first_seen, last_seen, last_received,
       first_received, first_release, last_release, title, culprit, level, platform, kind, further, grouping_path)
     select project_id, hash, count, sampled_count, to_timestamp(first_seen / 1000), to_timestamp(last_seen / 1000),
       to_timestamp(last_received / 1000), to_timestamp(first_received / 1000),
       nullif(first_release, ''), nullif(last_release, ''), title, culprit, level, platform, kind, further, grouping_path
     from jsonb_to_recordset($1::jsonb) as row (project_id bigint, hash uuid, count bigint, sampled_count bigint,
       first_seen float8, last_seen float8, last_received float8, first_received float8,
       first_release text, last_release text, title text, culprit text, level text, platform text,
       kind text, further uuid[], grouping_path text)`,
  )
  await copy(
    releasesQuery(condition),
    `insert into found_releases (project_id, version, count, first_event, last_event)
     select project_id, version, count, to_timestamp(first_event / 1000), to_timestamp(last_event / 1000)
     from jsonb_to_recordset($1::jsonb) as row (project_id bigint, version text, count bigint,
       first_event float8, last_event float8)`,
  )
  await copy(
    usageQuery(condition),
    `insert into found_usage (project_id, period, count)
     select project_id, period, count
     from jsonb_to_recordset($1::jsonb) as row (project_id bigint, period date, count bigint)`,
  )
  await client.query('analyze found_issues')
}

/** The hashes of the event beside its first one, which is its fingerprint. */
function withGrouping(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { grouping, ...rest } = row
  if (typeof grouping !== 'string') return row
  const { path, hashes } = groupingOf(grouping)
  return { ...rest, further: hashes.slice(1), grouping_path: path }
}

const hex32 = /^[0-9a-f]{32}$/

/** Reads the grouping column, as the digest writes it; empty when it is something else. */
function groupingOf(text: string): { readonly path: string; readonly hashes: readonly string[] } {
  try {
    const { path, hashes } = JSON.parse(text) as { path?: unknown; hashes?: unknown }
    const found = Array.isArray(hashes) ? (hashes as readonly { hash?: unknown }[]) : []
    return {
      path: typeof path === 'string' ? path : '',
      hashes: found.flatMap(({ hash }) =>
        typeof hash === 'string' && hex32.test(hash) ? [hash] : [],
      ),
    }
  } catch {
    return { path: '', hashes: [] }
  }
}

/** Removes the rows of projects that Postgres does not have. Locks the others against deletion. */
export async function dropUnknownProjects(client: PoolClient): Promise<void> {
  await client.query(
    `select from projects where dsn_id in (select project_id from found_issues) order by dsn_id for key share`,
  )
  for (const table of ['found_issues', 'found_releases', 'found_usage']) {
    await client.query(
      `delete from ${table} where not exists (select from projects where dsn_id = project_id)`,
    )
  }
}

/** The events of projects that Postgres does not have, by project. */
export async function readUnknownProjects(
  client: PoolClient,
  clickhouse: ClickHouseClient,
  { condition, parameters }: RowScope,
): Promise<{ projectId: number; events: number }[]> {
  const result = await clickhouse.query({
    query: `select project_id as projectId, sum(${weight}) as events from events where ${condition}
      group by project_id order by project_id`,
    query_params: { ...parameters },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  const found = await result.json<{ projectId: number; events: number }>()
  const { rows } = await client.query<{ dsn_id: number }>(
    'select dsn_id from projects where dsn_id = any($1)',
    [found.map(({ projectId }) => projectId)],
  )
  const known = new Set(rows.map(({ dsn_id }) => dsn_id))
  return found.filter(({ projectId }) => !known.has(projectId))
}
