/** Runs 0022-token-purposes.sql on the rows of an installation of an earlier version. */
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migratePostgres, readMigrations } from '#platform/installation/migrate.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'

const migration = '0022-token-purposes.sql'
const log = createLogger('test', 'silent')
let stores: TestStores
let pool: Pool

const connect = (url: string) =>
  createPool({ url, applicationName: 'test', connectionsMax: 2 }, log)

beforeAll(async () => {
  stores = await startStores()
  const admin = connect(stores.postgresUrl)
  await admin.query('create database before_tokens')
  await admin.end()
  pool = connect(stores.postgresUrl.replace(/\/\w+$/, '/before_tokens'))
  const files = await readMigrations('postgres')
  await migratePostgres(
    pool,
    files.filter(({ name }) => name < migration),
  )
})

afterAll(async () => {
  await pool?.end()
  await stores?.stop()
})

test('links of sent emails are erased, queued ones are kept, and creators are read from the audit log', async () => {
  const [organization, person, address] = [uuidv7(), uuidv7(), uuidv7()]
  await pool.query(`insert into organizations (id, name) values ($1, 'Acme')`, [organization])
  await pool.query(`insert into people (id, email) values ($1, 'ada@acme.test')`, [person])
  await pool.query(
    `insert into addresses (id, organization_id, email, email_key) values ($1, $2, 'a@acme.test', 'a@acme.test')`,
    [address, organization],
  )
  for (const [kind, state] of [
    ['system', 'sent'],
    ['confirmation', 'skipped'],
    ['system', 'queued'],
    ['transactional', 'sent'],
  ]) {
    await pool.query(
      `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, html, state)
       values ($1, $2, $3, $4, 0, 'f@acme.test', 'a@acme.test', $4::text || ' ' || $5, 'the link', '<p>the link', $5)`,
      [uuidv7(), organization, address, kind, state],
    )
  }
  const [byAda, byCommand, key] = [uuidv7(), uuidv7(), uuidv7()]
  for (const [table, id, hash] of [
    ['access_tokens', byAda, 'token_hash'],
    ['access_tokens', byCommand, 'token_hash'],
    ['api_keys', key, 'key_hash'],
  ]) {
    const scopes = table === 'api_keys' ? ['', ''] : [', scopes', `, '{}'`]
    await pool.query(
      `insert into ${table} (id, organization_id, label, prefix, ${hash}${scopes[0]}) values ($1, $2, 'x', 'x', $3${scopes[1]})`,
      [id, organization, createHash('sha256').update(String(id)).digest()],
    )
  }
  for (const [action, subject, by] of [
    ['token.created', byAda, person],
    ['token.created', byCommand, null],
    ['api_key.created', key, person],
  ]) {
    await pool.query(
      `insert into audit_log (id, organization_id, person_id, actor, via, action, subject_type, subject_id)
       values ($1, $2, $3, 'x', 'login', $4, 'x', $5)`,
      [uuidv7(), organization, by, action, subject],
    )
  }

  for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', 'unknown', null]) {
    await pool.query(
      `insert into logins (id, person_id, organization_id, token_hash, csrf_token, ip, expires_at)
       values ($1, $2, $3, $4, 'x', $5, now())`,
      [uuidv7(), person, organization, createHash('sha256').update(String(ip)).digest(), ip],
    )
  }

  const files = await readMigrations('postgres')
  expect(await migratePostgres(pool, files)).toContain(migration)
  const sends = await pool.query(
    'select subject, text, html, sealed_body from sends order by subject',
  )
  const kept = { text: 'the link', html: '<p>the link', sealed_body: null }
  const erased = { text: '', html: null, sealed_body: null }
  expect(sends.rows).toEqual([
    { subject: 'confirmation skipped', ...erased },
    { subject: 'system queued', ...kept },
    { subject: 'system sent', ...erased },
    { subject: 'transactional sent', ...kept },
  ])
  const tokens = await pool.query('select id, created_by from access_tokens')
  expect(new Map(tokens.rows.map((row) => [row.id, row.created_by]))).toEqual(
    new Map([
      [byAda, person],
      [byCommand, null],
    ]),
  )
  const networks = await pool.query('select person_id, network from login_networks')
  expect(networks.rows).toEqual([{ person_id: person, network: '192.0.2.1' }])
  expect((await pool.query('select created_by from api_keys')).rows).toEqual([
    { created_by: person },
  ])
})
