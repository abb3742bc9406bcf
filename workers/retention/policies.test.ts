/** Every table of both databases has a policy, and every policy is carried out. */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { retentionNames } from '#platform/env.ts'
import { claimClickHouse } from '#platform/installation/installation.ts'
import type { Pool } from '#platform/postgres.ts'
import { clickHousePolicies } from '#schemas/retention/clickhouse-policies.ts'
import { type Policies, retentionVariables } from '#schemas/retention/policy.ts'
import { postgresPolicies } from '#schemas/retention/postgres-policies.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { cleanupJobs } from '../jobs/cleanup-jobs.ts'
import { tablesOf } from '../jobs/retention-jobs.ts'

let pg: Pool
let clickhouse: ClickHouseClient
usePostgres((fixture) => {
  pg = fixture.pg
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
afterAll(async () => {
  await clickhouse?.close()
})

test('every table of Postgres has a policy, and every policy a table', async () => {
  const { rows } = await pg.query<{ table: string }>(
    `select relname as table from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const ours = Object.keys(postgresPolicies).filter((table) => !table.includes('.'))
  expect(ours.sort()).toEqual(rows.map(({ table }) => table).sort())
})

test('every table of ClickHouse has a policy, and one with a ttl expires by it', async () => {
  await claimClickHouse(clickhouse, randomUUID())
  const result = await clickhouse.query({
    query: `select name, engine_full like '% TTL %' as has_ttl from system.tables
            where database = currentDatabase() order by name`,
    format: 'JSONEachRow',
  })
  const tables = await result.json<{ name: string; has_ttl: number }>()
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(clickHousePolicies).sort())
  const policies: Policies = clickHousePolicies
  for (const { name, has_ttl } of tables) {
    const policy = policies[name]!
    expect([name, policy.kind === 'expires' && policy.by === 'ttl']).toEqual([name, has_ttl === 1])
  }
})

test('every job that a policy names exists, and every setting is read', () => {
  const ctx = { days: {} } as Parameters<typeof cleanupJobs>[0]
  const jobs = new Set(cleanupJobs(ctx).map(({ task }) => task))
  for (const [table, policy] of [
    ...Object.entries<Policies[string]>(postgresPolicies),
    ...Object.entries<Policies[string]>(clickHousePolicies),
  ]) {
    if (policy.kind !== 'expires' || policy.by === 'ttl') continue
    const job = policy.job ?? 'expire_rows'
    expect([table, jobs.has(job)]).toEqual([table, true])
    if (policy.by === 'rows') expect(tablesOf(job).map(([name]) => name)).toContain(table)
  }
  const names = Object.values(retentionVariables).map(({ name }) => name)
  expect(names).toEqual([...retentionNames])
})

test('a table that goes with its parent has a foreign key that deletes it', async () => {
  for (const [table, policy] of Object.entries(postgresPolicies)) {
    if (policy.kind !== 'parent') continue
    const { rowCount } = await pg.query(
      `select from pg_constraint where conrelid = $1::regclass and confrelid = $2::regclass
         and contype = 'f' and confdeltype = 'c'`,
      [table, policy.parent],
    )
    expect([table, rowCount]).toEqual([table, 1])
  }
})
