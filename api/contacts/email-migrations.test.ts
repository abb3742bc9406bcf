/** Migrations 0027 and 0028 on rows of earlier versions. */
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migratePostgres, readMigrations } from '#platform/installation/migrate.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'

const log = createLogger('test', 'silent')
let stores: TestStores
let pool: Pool
beforeAll(async () => {
  stores = await startStores()
  const options = { applicationName: 'test', connectionsMax: 2 }
  const first = createPool({ url: stores.postgresUrl, ...options }, log)
  await first.query('create database earlier')
  await first.end()
  pool = createPool({ url: stores.postgresUrl.replace(/\/\w+$/, '/earlier'), ...options }, log)
})
afterAll(async () => {
  await pool.end()
  await stores.stop()
})

type Checks = 'none' | 'passed' | 'failed'

async function addDomain(domain: string, checks: Checks, checkedAt: string | null) {
  const [organizationId, id] = [uuidv7(), uuidv7()]
  await pool.query('insert into organizations (id, name) values ($1, $2)', [organizationId, id])
  const state = checks === 'passed' ? 'pass' : 'missing'
  const result = ['dkim', 'spf', 'dmarc', 'mx'].map((use) => ({
    use,
    state,
    hint: null,
    found: [],
  }))
  await pool.query(
    `insert into sending_domains
       (id, organization_id, domain, selector, sealed_key, public_key, checked_at, check_result)
       values ($1, $2, $3, 's', '\\x00', '', $4, $5)`,
    [id, organizationId, domain, checkedAt, checks === 'none' ? null : JSON.stringify(result)],
  )
  return { organizationId, id }
}

test('migrated domains and newsletters keep working', async () => {
  const files = await readMigrations('postgres')
  await migratePostgres(
    pool,
    files.filter(({ name }) => name < '0024'),
  )

  const alone = await addDomain('alone.test', 'passed', '2026-11-01T00:00:00Z')
  const unchecked = await addDomain('unchecked.test', 'none', null)
  const failing = await addDomain('failing.test', 'failed', '2026-11-01T00:00:00Z')
  const older = await addDomain('both.test', 'passed', '2026-11-01T00:00:00Z')
  const newer = await addDomain('both.test', 'passed', '2026-11-02T00:00:00Z')
  const third = await addDomain('both.test', 'failed', '2026-11-03T00:00:00Z')
  await pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address)
       values (uuidv7(), $1, 'weekly', 'W', 'w@alone.test')`,
    [alone.organizationId],
  )
  await pool.query(
    `insert into addresses (id, organization_id, email_key) values ($1, $1, 'ada@contact.test')`,
    [alone.organizationId],
  )

  await migratePostgres(pool, files)

  const { rows } = await pool.query(
    `select id, state, owned_at is not null as owned, proof_required as proof, length(proof_token) as length
       from sending_domains`,
  )
  const byId = new Map(rows.map(({ id, ...row }) => [id, row]))
  const length = 64
  const verified = { state: 'verified', owned: true, proof: false, length }
  const pending = { state: 'pending', owned: false, length }
  expect(byId.get(alone.id)).toEqual(verified)
  expect(byId.get(unchecked.id)).toEqual({ ...pending, proof: false })
  expect(byId.get(failing.id)).toEqual({ ...pending, proof: false })
  expect(byId.get(newer.id)).toEqual(verified)
  expect(byId.get(older.id)).toEqual({ ...pending, proof: true })
  expect(byId.get(third.id)).toEqual({ ...pending, proof: true })
  const tokens = await pool.query(
    'select count(distinct proof_token)::int as n from sending_domains',
  )
  expect(tokens.rows).toEqual([{ n: 6 }])

  await pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address)
       values (uuidv7(), $1, 'weekly', 'W', 'w@both.test')`,
    [newer.organizationId],
  )
  const archives = await pool.query(
    'select archive_path from newsletters order by length(archive_path)',
  )
  expect(archives.rows[0]).toEqual({ archive_path: 'weekly' })
  expect(archives.rows[1].archive_path).toMatch(/^weekly-[0-9a-f]{8}$/)

  // A process of the version before the migration still records bounces.
  const bounced = await pool.query(
    `select outcome, suppressed from record_bounce(uuidv7(), $1, 'hard', true, 'smtp', null, null, null, now(), now(), null)`,
    [alone.organizationId],
  )
  expect(bounced.rows).toEqual([{ outcome: 'counted', suppressed: true }])
})
