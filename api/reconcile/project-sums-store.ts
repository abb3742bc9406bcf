/** Reads the counts of projects for the report. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { PoolClient } from '#platform/postgres.ts'

export interface ProjectSums {
  readonly dsnId: number
  readonly name: string
  readonly organizationId: string
  readonly events: number
  readonly issues: number
  readonly releases: number
  readonly quota: number
}

export async function readProjectSums(
  client: Pick<PoolClient, 'query'>,
  dsnIds: readonly number[],
): Promise<Map<number, ProjectSums>> {
  const { rows } = await client.query<ProjectSums & { dsnId: number }>(
    `select dsn_id as "dsnId", name, organization_id as "organizationId",
       (select coalesce(sum(count), 0)::bigint from issues where project_id = dsn_id) as events,
       (select count(*) from issues where project_id = dsn_id and merged_into is null) as issues,
       (select count(*) from releases where project_id = dsn_id) as releases,
       (select coalesce(sum(used), 0)::bigint from quota_usage where project_id = dsn_id) as quota
     from projects where dsn_id = any($1) order by dsn_id`,
    [dsnIds],
  )
  return new Map(rows.map((row) => [row.dsnId, row]))
}

/** Issues of the project that count events and have no row any more. */
export async function countIssuesWithoutRows(
  client: Pick<PoolClient, 'query'>,
  clickhouse: ClickHouseClient,
  dsnId: number,
): Promise<number> {
  const result = await clickhouse.query({
    query:
      'select distinct toString(fingerprint) as hash from events where project_id = {dsnId: UInt64}',
    query_params: { dsnId },
    format: 'JSONEachRow',
  })
  const hashes: string[] = []
  for await (const rows of result.stream<{ hash: string }>()) {
    for (const row of rows) hashes.push(row.json().hash)
  }
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from issues
     where project_id = $1 and count > 0 and merged_into is null and not exists (
       select from issue_hashes where issue_id = issues.id and hash = any($2::uuid[]))`,
    [dsnId, hashes],
  )
  return rows[0]?.count ?? 0
}
