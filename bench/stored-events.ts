/** Reads both databases after a load: counts to wait for, ids and accounting to compare. */
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { dashed, undashed } from '#schemas/ids.ts'
import type { IssueTally, StoredAccounting } from './load/check-accounting.ts'

export interface StoredCounts {
  /** Events that the rows in ClickHouse represent; a row may stand for several sampled events. */
  readonly rows: number
  /** Sum of the counts of issues in Postgres. */
  readonly counted: number
}

export interface StoredEvents {
  counts(): Promise<StoredCounts>
  /** Ids of one run, including repetitions. */
  ids(runId: string): Promise<string[]>
  accounting(projectId: number): Promise<StoredAccounting>
  close(): Promise<void>
}

const weights = 'sum(1 + length(sampled_ids))'
const idsPerPage = 200_000
/** 16 digits and the two dashes between them. */
const dashedRunIdCharacters = 18

export function openStoredEvents(urls: { clickhouse: string; postgres: string }): StoredEvents {
  const clickhouse = createClickHouse(urls.clickhouse, 'sluice-bench')
  const log = createLogger('bench', 'warn')
  const pool = createPool(
    {
      url: urls.postgres,
      applicationName: 'sluice-bench',
      connectionsMax: 2,
      statementTimeoutMs: 30_000,
    },
    log,
  )
  return {
    async counts() {
      const [rows, counted] = await Promise.all([countRows(clickhouse), countOnIssues(pool)])
      return { rows, counted }
    },
    ids: (runId) => readIds(clickhouse, runId),
    accounting: (projectId) => readAccounting(clickhouse, pool, projectId),
    async close() {
      await Promise.all([clickhouse.close(), pool.end()])
    },
  }
}

async function countRows(clickhouse: ClickHouseClient): Promise<number> {
  const [row] = await select<{ rows: string }>(clickhouse, `select ${weights} as rows from events`)
  return Number(row?.rows ?? 0)
}

async function countOnIssues(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ counted: string | null }>(
    'select sum(count) as counted from issues',
  )
  return Number(rows[0]?.counted ?? 0)
}

/** Reads pages, so that no response is larger than a few megabytes. */
async function readIds(clickhouse: ClickHouseClient, runId: string): Promise<string[]> {
  const start = dashed(runId.padEnd(32, '0')).slice(0, dashedRunIdCharacters)
  const ids: string[] = []
  for (let offset = 0; ; offset += idsPerPage) {
    const page = await select<{ id: string }>(
      clickhouse,
      `select toString(arrayJoin(arrayPushBack(sampled_ids, event_id))) as id from events where startsWith(id, {start: String})
       order by id limit ${idsPerPage} offset ${offset}`,
      { start },
    )
    for (const { id } of page) ids.push(undashed(id))
    if (page.length < idsPerPage) return ids
  }
}

async function readAccounting(
  clickhouse: ClickHouseClient,
  pool: Pool,
  projectId: number,
): Promise<StoredAccounting> {
  const parameters = { projectId }
  const [byFingerprint, accepted, hashes, issues] = await Promise.all([
    select<{ fingerprint: string; rows: string }>(
      clickhouse,
      `select toString(fingerprint) as fingerprint, ${weights} as rows from events where project_id = {projectId: UInt64} group by fingerprint`,
      parameters,
    ),
    select<{ quantity: string }>(
      clickhouse,
      "select sum(quantity) as quantity from outcomes where project_id = {projectId: UInt64} and outcome = 'accepted'",
      parameters,
    ),
    pool.query<{ hash: string; issue_id: string }>(
      'select hash, issue_id from issue_hashes where project_id = $1',
      [projectId],
    ),
    pool.query<{ id: string; count: number }>(
      'select id, count from issues where project_id = $1',
      [projectId],
    ),
  ])
  const issueOf = new Map(hashes.rows.map((row) => [row.hash, row.issue_id]))
  const rowsOf = new Map<string, number>()
  let rowsWithoutIssue = 0
  for (const { fingerprint, rows } of byFingerprint) {
    const issue = issueOf.get(fingerprint)
    if (issue === undefined) rowsWithoutIssue += Number(rows)
    else rowsOf.set(issue, (rowsOf.get(issue) ?? 0) + Number(rows))
  }
  const tallies: IssueTally[] = issues.rows.map(({ id, count }) => ({
    counted: count,
    rows: rowsOf.get(id) ?? 0,
  }))
  return { issues: tallies, rowsWithoutIssue, accepted: Number(accepted[0]?.quantity ?? 0) }
}

async function select<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<Row[]> {
  const result = await clickhouse.query({
    query,
    query_params: parameters,
    format: 'JSONEachRow',
  })
  return result.json<Row>()
}
