/**
 * The installation: everything that shares one Postgres database. A migration creates its id, and
 * everything that holds data outside Postgres stores it (write-ahead logs, streams, ClickHouse,
 * frames), so that no process uses data of another installation. A copy of the database has the
 * same id (docs/scaling.md).
 */
import { createHash } from 'node:crypto'
import type { ClickHouseClient } from '../clickhouse.ts'
import type { Pool } from '../postgres.ts'
import { replicatedSql } from './replicated-sql.ts'

export interface Installation {
  /** A UUID. */
  readonly id: string
  /** Distinguishes frames of installations: 24 bits, never 0. */
  readonly mark: number
}

/** The data belongs to another installation. The message names both. */
export class ForeignInstallationError extends Error {}

/** Throws if the database was never migrated that far. Check the migrations first. */
export async function readInstallation(pool: Pool): Promise<Installation> {
  const { rows } = await pool.query<{ id: string }>('select id from installation')
  const id = rows[0]?.id
  if (id === undefined) throw new Error('the table installation of Postgres has no row')
  return { id, mark: installationMark(id) }
}

/** 24 bits of a hash of the id. 0 marks frames of versions that stored none. */
export function installationMark(id: string): number {
  return createHash('sha256').update(id).digest().readUIntBE(0, 3) || 1
}

/** Marks a ClickHouse database that has no mark. Throws if it belongs to another installation. */
export async function claimClickHouse(
  clickhouse: ClickHouseClient,
  installationId: string,
  cluster?: string,
): Promise<void> {
  const query = `create table if not exists installation (id UUID, at DateTime64(6, 'UTC') default now64(6))
            engine = ReplacingMergeTree order by (at, id)`
  await clickhouse.command({
    query: cluster === undefined ? query : replicatedSql(query, cluster),
  })
  if ((await clickHouseOwner(clickhouse)) === undefined) {
    await clickhouse.insert({
      table: 'installation',
      values: [{ id: installationId }],
      format: 'JSONEachRow',
    })
  }
  await checkClickHouseOwner(clickhouse, installationId)
}

/**
 * Throws if the database belongs to another installation. A database without a mark is accepted.
 */
export async function checkClickHouseOwner(
  clickhouse: ClickHouseClient,
  installationId: string,
): Promise<void> {
  const owner = await clickHouseOwner(clickhouse)
  if (owner === undefined || owner === installationId) return
  throw new ForeignInstallationError(
    `the ClickHouse database belongs to installation ${owner}, and Postgres to installation ${installationId}: set CLICKHOUSE_URL to a database of its own (the path of the URL), or POSTGRES_URL to the database of ${owner}`,
  )
}

/** If two installations marked the database at once, the first mark decides for both. */
export async function clickHouseOwner(clickhouse: ClickHouseClient): Promise<string | undefined> {
  const tables = await clickhouse.query({
    query: `select 1 from system.tables where database = currentDatabase() and name = 'installation'`,
    format: 'JSONEachRow',
  })
  if ((await tables.json()).length === 0) return undefined
  const result = await clickhouse.query({
    query: 'select toString(id) as id from installation order by at, id limit 1',
    format: 'JSONEachRow',
  })
  return (await result.json<{ id: string }>())[0]?.id
}
