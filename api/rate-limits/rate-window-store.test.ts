import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { erasedKey } from '#platform/person-data/erased-key.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { ensureAddress, lockAddress } from '../contacts/address-store.ts'
import { createPostgres, type Postgres } from '../database.ts'
import { addOrganization } from '../organization/organization-store.ts'
import { rateHeaders, takeHits } from './rate-window-store.ts'

let stores: TestStores
let pool: Pool
let pg: Postgres
beforeAll(async () => {
  stores = await startStores()
  pool = createPool(
    { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 12 },
    createLogger('test', 'silent'),
  )
  pg = createPostgres(pool)
})
afterAll(async () => {
  await pool.end()
  await stores.stop()
})
beforeEach(() => pool.query('truncate rate_windows'))

const startMs = Date.parse('2026-11-21T01:30:00.000Z')
const at = (ms: number) => new Date(startMs + ms)
const five = { bucket: 'five', hitsMax: 5, windowMs: 600_000 }
const two = { bucket: 'a two', hitsMax: 2, windowMs: 3_600_000 }

test('every span of the window has at most the maximum of hits, to the millisecond', async () => {
  const kinds: string[] = []
  for (const ms of [0, 1_000, 300_000, 300_001, 599_000, 599_999, 600_000, 600_001, 601_000]) {
    kinds.push((await takeHits(pg, [five], at(ms))).kind)
  }
  // The hit of 0 leaves at 600,000 and that of 1,000 at 601,000.
  expect(kinds).toEqual([
    'taken',
    'taken',
    'taken',
    'taken',
    'taken',
    'full',
    'taken',
    'full',
    'taken',
  ])
})

test('returns the remaining hits and the time of the next expiry', async () => {
  for (const left of [4, 3, 2, 1, 0]) {
    const taken = await takeHits(pg, [five], at(0))
    expect(taken).toMatchObject({
      kind: 'taken',
      windows: [{ remaining: left, resetSeconds: 600 }],
    })
  }
  const full = await takeHits(pg, [five], at(598_900))
  expect(full).toMatchObject({ kind: 'full', window: { remaining: 0 }, retryAfterSeconds: 2 })
  if (full.kind !== 'full') throw new Error('not full')
  expect(rateHeaders(full.window, full.retryAfterSeconds)).toEqual({
    'RateLimit-Limit': '5',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '2',
    'Retry-After': '2',
  })
  expect(await takeHits(pg, [five], at(599_999))).toMatchObject({ retryAfterSeconds: 1 })
})

test('a hit that one window refuses is not counted in another', async () => {
  await takeHits(pg, [two], at(0))
  await takeHits(pg, [five, two], at(1))
  for (const ms of [2, 3]) {
    const full = await takeHits(pg, [five, two], at(ms))
    expect(full).toMatchObject({
      kind: 'full',
      window: { bucket: 'a two' },
      retryAfterSeconds: 3600,
    })
  }
  const taken = await takeHits(pg, [five], at(4))
  expect(taken).toMatchObject({ windows: [{ bucket: 'five', remaining: 3 }] })
})

test('with two full windows, the later expiry sets the retry time', async () => {
  const short = { bucket: 'z', hitsMax: 1, windowMs: 1_000 }
  await takeHits(pg, [short], at(0))
  await takeHits(pg, [two, { ...two, bucket: 'other' }], at(0))
  await takeHits(pg, [two], at(0))
  expect(await takeHits(pg, [short, two], at(10))).toMatchObject({ window: { bucket: 'a two' } })
})

test('a smaller maximum counts from the newest hits', async () => {
  for (const ms of [0, 1_000, 2_000, 3_000]) await takeHits(pg, [five], at(ms))
  const smaller = { ...five, hitsMax: 2 }
  // Two of the four must leave before a third has room beside two: those of 0, 1,000 and 2,000.
  expect(await takeHits(pg, [smaller], at(3_000))).toMatchObject({ retryAfterSeconds: 599 })
  expect((await takeHits(pg, [smaller], at(601_999))).kind).toBe('full')
  expect((await takeHits(pg, [smaller], at(602_000))).kind).toBe('taken')
})

test('a rolled back transaction counts no hit', async () => {
  const failing = pg.transaction(async (client) => {
    await takeHits(client, [five], at(0))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await takeHits(pg, [five], at(1))).toMatchObject({ windows: [{ remaining: 4 }] })
})

test('a clock that runs backwards keeps the log in order', async () => {
  await takeHits(pg, [five], at(10_000))
  await takeHits(pg, [five], at(0))
  const { rows } = await pool.query('select hits from rate_windows')
  expect(rows[0].hits).toEqual([at(10_000), at(10_000)])
})

test('exactly the maximum of concurrent hits is accepted, in any order of the windows', async () => {
  const forms = Array.from({ length: 40 }, (_, index) => [
    ...(index % 2 === 0 ? [five, { ...two, hitsMax: 30 }] : [{ ...two, hitsMax: 30 }, five]),
  ])
  const all = await Promise.all(
    forms.map((windows) => pg.transaction((client) => takeHits(client, windows, at(0)))),
  )
  expect(all.filter(({ kind }) => kind === 'taken')).toHaveLength(5)
})

test('an address is one row with its first spelling', async () => {
  const { id: organizationId } = await addOrganization(pool, { name: 'Acme' })
  const given = { organizationId, key: 'ada@example.com' }
  const rows = await Promise.all(
    ['Ada@example.com', 'ADA@example.com', 'ada@example.com'].map((email) =>
      ensureAddress(pg, { ...given, email }),
    ),
  )
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1)
  const again = await ensureAddress(pg, { ...given, email: 'aDa@example.com' })
  expect(again).toMatchObject({ email: rows[0]!.email, suppressedAt: null, softRun: 0 })
  const other = await addOrganization(pool, { name: 'Other' })
  expect(await lockAddress(pg, { ...given, organizationId: other.id })).toBeUndefined()
})

test('an erased address is found by its hash, and stays suppressed', async () => {
  const { id: organizationId } = await addOrganization(pool, { name: 'Acme' })
  const given = { organizationId, email: 'bob@example.com', key: 'bob@example.com' }
  const { id } = await ensureAddress(pg, given)
  await pool.query(
    `update addresses set email = null, email_key = $2, suppressed_at = now(), suppression_cause = 'complaint' where id = $1`,
    [id, erasedKey(organizationId, given.key)],
  )
  for (const row of [await ensureAddress(pg, given), await lockAddress(pg, given)]) {
    expect(row).toMatchObject({ id, email: null, suppressionCause: 'complaint' })
  }
  expect(erasedKey(organizationId, given.key)).not.toContain('bob')
})
