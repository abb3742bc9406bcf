/** Reads what both databases store of one project, with one query for each table. */
import { join } from 'node:path'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import { FolderStore } from '#platform/objects/folder-store.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { undashed } from '#schemas/ids.ts'
import type { Stack } from '../../dev/stack.ts'
import { readFiles, type StoredFile } from './files/read-files.ts'

export interface StoredIssue {
  /** Counts of the issue in Postgres. */
  readonly counted: number
  readonly sampledCounted: number
  /** Counts in ClickHouse: rows, and sampled events that are attached to a row. */
  readonly rows: number
  readonly sampled: number
}

export interface StoredOutcome {
  readonly outcome: string
  readonly reason: string
  readonly category: string
  readonly quantity: number
}

export interface StoredProject {
  /** Event id of each row, without dashes. */
  readonly rowIds: readonly string[]
  /** Ids of the sampled events that are attached to the row of another event. */
  readonly sampledIds: readonly string[]
  readonly issues: readonly StoredIssue[]
  readonly rowsWithoutIssue: number
  readonly outcomes: readonly StoredOutcome[]
  /** Events that are counted on releases. */
  readonly released: number
  /** Used quota of all months, in events. */
  readonly used: number
  readonly openLeases: number
  readonly deadLetters: number
  /** Sessions that are counted in aggregates. */
  readonly sessions: number
  readonly files: readonly StoredFile[]
}

export class Stores {
  readonly postgres: Pool
  readonly #clickhouse: ClickHouseClient
  readonly #objects: ObjectStore

  constructor({ urls, dataDir }: Pick<Stack, 'urls' | 'dataDir'>) {
    this.#objects = new FolderStore(join(dataDir, 'objects'))
    const log = createLogger('faults', 'silent')
    this.postgres = createPool(
      { url: urls.postgres, applicationName: 'test-faults', connectionsMax: 4 },
      log,
    )
    this.#clickhouse = createClickHouse(urls.clickhouse, 'test-faults')
  }

  async read(projectId: number): Promise<StoredProject> {
    const [rows, outcomes, issues, hashes, sums, files] = await Promise.all([
      this.#select<{ id: string; fingerprint: string; sampled: string[] }>(
        `select toString(event_id) as id, toString(fingerprint) as fingerprint,
                arrayMap(x -> toString(x), sampled_ids) as sampled
           from events where project_id = {projectId: UInt64}`,
        { projectId },
      ),
      this.#select<Omit<StoredOutcome, 'quantity'> & { total: string }>(
        `select outcome, reason, category, toString(sum(quantity)) as total
           from outcomes where project_id = {projectId: UInt64}
          group by outcome, reason, category having total <> '0'`,
        { projectId },
      ),
      this.postgres.query<{ id: string; count: number; sampled_count: number }>(
        'select id, count, sampled_count from issues where project_id = $1',
        [projectId],
      ),
      this.postgres.query<{ hash: string; issue_id: string }>(
        'select hash, issue_id from issue_hashes where project_id = $1',
        [projectId],
      ),
      this.postgres.query<{
        used: number
        released: number
        open_leases: number
        dead_letters: number
        sessions: number
      }>(
        `select (select coalesce(sum(used), 0)::bigint from quota_usage where project_id = $1) as used,
                (select coalesce(sum(event_count), 0)::bigint from releases where project_id = $1) as released,
                (select count(*) from quota_leases where project_id = $1 and state = 'open') as open_leases,
                (select count(*) from dead_letters where project_id = $1) as dead_letters,
                (select coalesce(sum(exited), 0)::bigint from release_health_counts where project_id = $1) as sessions`,
        [projectId],
      ),
      readFiles(this.postgres, this.#objects, projectId),
    ])
    const tallies = new Map(issues.rows.map(({ id }) => [id, { rows: 0, sampled: 0 }]))
    const issueOf = new Map(hashes.rows.map((row) => [row.hash, row.issue_id]))
    let rowsWithoutIssue = 0
    for (const { fingerprint, sampled } of rows) {
      const tally = tallies.get(issueOf.get(fingerprint) ?? '')
      if (tally === undefined) {
        rowsWithoutIssue += 1
      } else {
        tally.rows += 1
        tally.sampled += sampled.length
      }
    }
    const sum = sums.rows[0]!
    return {
      rowIds: rows.map(({ id }) => undashed(id)),
      sampledIds: rows.flatMap(({ sampled }) => sampled.map((id) => undashed(id))),
      issues: issues.rows.map(({ id, count, sampled_count }) => ({
        counted: count,
        sampledCounted: sampled_count,
        ...tallies.get(id)!,
      })),
      rowsWithoutIssue,
      outcomes: outcomes.map(({ total, ...key }) => ({ ...key, quantity: Number(total) })),
      released: sum.released,
      used: sum.used,
      openLeases: sum.open_leases,
      deadLetters: sum.dead_letters,
      sessions: sum.sessions,
      files,
    }
  }

  /** Number of stored events of the project, sampled ones included. */
  async countEvents(projectId: number): Promise<number> {
    const [row] = await this.#select<{ events: string }>(
      `select toString(sum(1 + length(sampled_ids))) as events
         from events where project_id = {projectId: UInt64}`,
      { projectId },
    )
    return Number(row?.events ?? 0)
  }

  /** A cheap read that shows whether the counts of a project are still changing. */
  async readCounts(
    projectId: number,
  ): Promise<{ events: number; used: number; openLeases: number }> {
    const [events, { rows }] = await Promise.all([
      this.countEvents(projectId),
      this.postgres.query<{ used: number; open_leases: number }>(
        `select (select coalesce(sum(used), 0)::bigint from quota_usage where project_id = $1) as used,
                (select count(*) from quota_leases where project_id = $1 and state = 'open') as open_leases`,
        [projectId],
      ),
    ])
    return { events, used: rows[0]!.used, openLeases: rows[0]!.open_leases }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.postgres.end(), this.#clickhouse.close()])
  }

  async #select<Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> {
    const result = await this.#clickhouse.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
    })
    return result.json<Row>()
  }
}
