/** Runs on a temporary Postgres. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { type PublicKey, projectIdMax } from '#schemas/ids.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { KeyListener } from './key-listener.ts'
import { PostgresKeyStore } from './postgres-key-store.ts'

const publicKey = 'a'.repeat(32) as PublicKey
const log = createLogger('test', 'error')
let stores: TestStores
let pool: Pool

beforeAll(async () => {
  stores = await startStores()
  const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }
  pool = createPool(options, log)
  await pool.query(`
    insert into organizations (id, name) values (gen_random_uuid(), 'o');
    insert into projects (id, organization_id, name, short_name, project_key)
      select gen_random_uuid(), id, 'p', 'P', gen_random_uuid() from organizations;
    insert into dsn_keys (id, project_id, public_key, label)
      select gen_random_uuid(), id, '${publicKey}', 'worker' from projects`)
})

afterAll(async () => {
  await pool?.end()
  await stores?.stop()
})

test('a key is found with its project, and an unknown key is not found', async () => {
  const store = new PostgresKeyStore(pool)
  expect(await store.load(publicKey)).toEqual({
    publicKey,
    keyNo: 1,
    projectId: 1,
    projectText: '1',
    component: 'worker',
    active: true,
    allowedOrigins: [],
  })
  expect(await store.load('b'.repeat(32) as PublicKey)).toBeUndefined()
})

test('a key has the allowed origins of its project', async () => {
  const settings = JSON.stringify({ allowed_origins: ['https://*.example.com'] })
  await pool.query('update projects set settings = $1', [settings])
  const key = await new PostgresKeyStore(pool).load(publicKey)
  await pool.query("update projects set settings = '{}'")
  expect(key?.allowedOrigins).toEqual(['https://*.example.com'])
})

test('the last use is written at most once a minute', async () => {
  const store = new PostgresKeyStore(pool)
  const key = await store.load(publicKey)
  await store.markUsed([key!.keyNo])
  const used = () => pool.query('select last_used_at from dsn_keys').then(({ rows }) => rows[0])
  const first = await used()
  expect(first.last_used_at).toBeInstanceOf(Date)
  await store.markUsed([key!.keyNo])
  expect(await used()).toEqual(first)
})

test('a change is notified, and a lost connection is restored and reported', async () => {
  const heard: string[] = []
  const limits: number[] = []
  let connects = 0
  const listener = new KeyListener({
    pool,
    log: createLogger('test', 'error'),
    onChange: (key) => heard.push(key),
    onLimitChange: (projectId) => limits.push(projectId),
    onConnect: () => {
      connects += 1
    },
  })
  listener.start()
  const change = (status: string) => pool.query('update dsn_keys set status = $1', [status])
  try {
    await expect.poll(() => connects).toBe(1)
    await change('disabled')
    await expect.poll(() => heard).toEqual([publicKey])
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`,
    )
    await expect.poll(() => connects).toBe(2)
    await change('active')
    await expect.poll(() => heard).toEqual([publicKey, publicKey])
    expect(limits).toEqual([])
    await pool.query('update projects set monthly_events = 7')
    await pool.query('update projects set monthly_events = 7, events_per_minute = null')
    await pool.query('update projects set events_per_minute = 7')
    await pool.query('update dsn_keys set events_per_minute = 7')
    const { rows } = await pool.query<{ dsn_id: number }>('select dsn_id from projects')
    const [projectId] = rows.map(({ dsn_id }) => Number(dsn_id))
    await expect.poll(() => limits).toEqual([projectId, projectId, projectId])
    await pool.query('update projects set monthly_events = null, events_per_minute = null')
    await pool.query('update dsn_keys set events_per_minute = null')
    expect(listener.isListening).toBe(true)
  } finally {
    await listener.stop()
  }
  expect(listener.isListening).toBe(false)
})

test('a project whose id does not fit into a record is refused when its key is loaded', async () => {
  const store = new PostgresKeyStore(pool)
  const keyOf = async (dsnId: number, publicKey: string) => {
    await pool.query(
      `with project as (
         insert into projects (id, organization_id, name, short_name, project_key, dsn_id)
           overriding system value
           select gen_random_uuid(), id, 'p', $2, gen_random_uuid(), $1 from organizations
           returning id)
       insert into dsn_keys (id, project_id, public_key, label)
         select gen_random_uuid(), id, $3, null from project`,
      [dsnId, `P${publicKey[0]?.toUpperCase()}`, publicKey],
    )
    return store.load(publicKey as PublicKey)
  }
  expect(await keyOf(projectIdMax, 'd'.repeat(32))).toMatchObject({ projectId: projectIdMax })
  await expect(keyOf(projectIdMax + 1, 'e'.repeat(32))).rejects.toThrow()
  // Other keys of the same query are not affected.
  const loads = [publicKey, 'd', 'e', 'd', 'b'].map((digit) => {
    return store.load(digit.padEnd(32, digit[0]) as PublicKey)
  })
  const found = await Promise.allSettled(loads)
  expect(found.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true])
})

test('keys that are loaded concurrently share a few statements', async () => {
  const digits = (at: number) => at.toString(16).padStart(32, '0') as PublicKey
  await pool.query(
    `insert into dsn_keys (id, project_id, public_key)
     select gen_random_uuid(), (select id from projects order by dsn_id limit 1), lpad(to_hex(n), 32, '0')
     from generate_series(0, 999) n`,
  )
  let statements = 0
  const counting = {
    query: (text: string, values: unknown[]) => {
      statements += 1
      return pool.query(text, values)
    },
  }
  const store = new PostgresKeyStore(counting as unknown as Pool)
  const keys = await Promise.all(Array.from({ length: 1_100 }, (_, at) => store.load(digits(at))))
  expect(keys.slice(0, 1000).map((key) => key?.publicKey)).toEqual(
    Array.from({ length: 1000 }, (_, at) => digits(at)),
  )
  expect(keys.slice(1000).every((key) => key === undefined)).toBe(true)
  expect(statements).toBeLessThanOrEqual(5)
})
