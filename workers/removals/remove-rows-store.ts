/**
 * Removes the rows of projects and organizations from Postgres, in bounded transactions. Locks are
 * taken in the order of the commits: merges in a project, issues by id, their hashes; leases before
 * usage.
 */
import { tablePages } from '#platform/person-data/table-pages.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { type PostgresTable, postgresTables } from '#schemas/stored-data/postgres-tables.ts'
import type { Scope } from '#schemas/stored-data/scope.ts'
import { addCount } from './deletion-row-store.ts'

const rowsPerBatch = 1_000
const issuesPerBatch = 200

export interface Removal {
  readonly deletionId: string
  readonly scope: Scope
  /** Throws when the process drains. */
  readonly throwIfDraining: () => void
}

/** Tables whose rows are removed together with the issues that they belong to. */
const ofIssues = ['issue_activity', 'hash_sums', 'issue_hashes', 'issues'] as const

/** The tables whose rows a removal deletes, in this order. */
export function removedTables(of: readonly PostgresTable['of'][]): readonly PostgresTable[] {
  const withIssues = new Set<string>(ofIssues.slice(0, -1))
  return postgresTables.filter((table) => of.includes(table.of) && !withIssues.has(table.name))
}

export async function removeRows(pg: Pool, table: PostgresTable, removal: Removal): Promise<void> {
  if (table.name === 'issues') {
    for (const number of removal.scope.projectNumbers) await removeIssues(pg, number, removal)
    return
  }
  if (table.name === 'comments') await detachReplies(pg, table, removal)
  if (table.isScanned) return removeByPages(pg, table, removal)
  // A duplicate goes before the idea that it refers to.
  const order = table.name === 'ideas' ? 'order by duplicate_of is null' : ''
  const batch = `select ctid from ${table.name} where ${table.rows(removal.scope)} ${order} limit ${rowsPerBatch}`
  await repeat(pg, removal, async (client) => {
    const { rowCount } = await client.query(
      `delete from ${table.name} where ctid = any(array(${batch}))`,
    )
    await addCount(client, removal.deletionId, { table: table.name, rows: rowCount ?? 0 })
    return rowCount ?? 0
  })
}

/** Runs `batch` in transactions of its own until it finds no row. */
async function repeat(
  pg: Pool,
  removal: Removal,
  batch: (client: PoolClient) => Promise<number>,
): Promise<void> {
  while ((await inTransaction(pg, batch)) > 0) removal.throwIfDraining()
}

/** Every batch locks what a commit locks, so that both wait for each other instead of failing. */
async function removeIssues(pg: Pool, projectNumber: number, removal: Removal): Promise<void> {
  await repeat(pg, removal, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtextextended('issue merging', $1))`, [
      projectNumber,
    ])
    const { rows } = await client.query<{ id: string }>(
      `select id from issues where project_id = $1 order by id limit ${issuesPerBatch} for update`,
      [projectNumber],
    )
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return 0
    const ofTheirHashes =
      'where (project_id, hash) in (select project_id, hash from issue_hashes where issue_id = any($1))'
    const conditions: Readonly<Record<(typeof ofIssues)[number], string>> = {
      issue_activity: 'where issue_id = any($1)',
      hash_sums: ofTheirHashes,
      issue_hashes: 'where issue_id = any($1)',
      // An issue that was merged into one of these goes with it, and is counted as well.
      issues: 'where id = any($1)',
    }
    await client.query('update issues set merged_into = null where merged_into = any($1)', [ids])
    for (const table of ofIssues) {
      const sql = `delete from ${table} ${conditions[table]}`
      const { rowCount } = await client.query(sql, [ids])
      await addCount(client, removal.deletionId, { table, rows: rowCount ?? 0 })
    }
    return ids.length
  })
}

async function detachReplies(pg: Pool, table: PostgresTable, { scope }: Removal): Promise<void> {
  for await (const pages of tablePages(pg, table.name)) {
    await pg.query(
      `update comments set parent_id = null
       where parent_id is not null and ${pages} and ${table.rows(scope)}`,
    )
  }
}

async function removeByPages(pg: Pool, table: PostgresTable, removal: Removal): Promise<void> {
  for await (const pages of tablePages(pg, table.name)) {
    removal.throwIfDraining()
    await inTransaction(pg, async (client) => {
      const { rowCount } = await client.query(
        `delete from ${table.name} where ${pages} and ${table.rows(removal.scope)}`,
      )
      await addCount(client, removal.deletionId, { table: table.name, rows: rowCount ?? 0 })
    })
  }
}
