import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { createPostgres, type Postgres } from '../database.ts'
import { listSilentInstances } from './partition-store.ts'
import { settleInstance } from './settle-instance.ts'

let pool: Pool
let pg: Postgres
usePostgres((fixture) => {
  pool = fixture.pg
  pg = createPostgres(pool)
})

async function addInstance(silentSeconds: number): Promise<string> {
  const id = randomUUID()
  await pool.query(
    'insert into ingest_boots (boot_id, seen_at) values ($1, now() - make_interval(secs => $2))',
    [id, silentSeconds],
  )
  return id
}

const silentIds = async () => (await listSilentInstances(pg)).map(({ instanceId }) => instanceId)

test('a silent instance is listed and settled, once', async () => {
  const silent = await addInstance(61)
  const alive = await addInstance(50)
  expect(await silentIds()).toContain(silent)
  expect(await silentIds()).not.toContain(alive)
  expect(await settleInstance(pg, { instanceId: silent })).toEqual({ instanceId: silent })
  expect(await silentIds()).not.toContain(silent)
  await expect(settleInstance(pg, { instanceId: silent })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(settleInstance(pg, { instanceId: alive })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('restart it instead'),
  })
})

test.each(['', 'a', '\u0000', "'; drop table ingest_boots", '0'.repeat(40), '\ud800'])(
  'an id such as %j is refused',
  async (instanceId) => {
    await expect(settleInstance(pg, { instanceId })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'instance', rule: 'must be a UUID' }],
    })
  },
)
