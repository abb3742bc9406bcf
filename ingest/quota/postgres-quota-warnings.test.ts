import { describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { ask, grant, newInstance, period, projectWith } from '../../test/fixtures/quota-fixture.ts'
import { PostgresQuotaStore } from './postgres-quota-store.ts'

let pool: Pool
let store: PostgresQuotaStore
usePostgres(({ pg }) => {
  pool = pg
  store = new PostgresQuotaStore(pg)
})

describe('a threshold', () => {
  const warned = async (projectId: ProjectId) => {
    const text = 'select percent from quota_warnings where project_id = $1 order by percent'
    return (await pool.query(text, [projectId])).rows.map((row) => row.percent)
  }
  const jobs = async (projectId: ProjectId) => {
    const text = `select payload from graphile_worker._private_jobs
                   where (payload->>'project_id')::bigint = $1 order by id`
    return (await pool.query(text, [projectId])).rows.map((row) => row.payload)
  }

  test('is notified once when it is exceeded; of several, only the highest is sent', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    const takes = (unitsNeeded: number) => grant(store, instance, ask(projectId, { unitsNeeded }))
    await takes(49)
    expect(await warned(projectId)).toEqual([])
    await takes(1)
    await takes(1)
    expect(await warned(projectId)).toEqual([50])
    await takes(49)
    await takes(1)
    expect(await warned(projectId)).toEqual([50, 80, 100])
    expect(await jobs(projectId)).toEqual([
      { project_id: projectId, period, percent: 50 },
      { project_id: projectId, period, percent: 100 },
    ])
  })

  test('whose notification failed is notified by the next grant, and refuses no event', async () => {
    const projectId = await projectWith(pool, 100)
    const instance = newInstance()
    await pool.query('alter schema graphile_worker rename to graphile_worker_away')
    await pool.query(`create schema graphile_worker; create function graphile_worker.add_job(a text, b json)
      returns void language plpgsql as $$ begin raise exception 'broken'; end $$`)
    try {
      expect((await grant(store, instance, ask(projectId, { unitsNeeded: 60 }))).units).toBe(60)
      expect(await warned(projectId)).toEqual([])
    } finally {
      await pool.query('drop schema graphile_worker cascade')
      await pool.query('alter schema graphile_worker_away rename to graphile_worker')
    }
    await grant(store, instance, ask(projectId))
    expect(await jobs(projectId)).toMatchObject([{ percent: 50 }])
  })

  test('does not exist without a limit, or with a limit of zero', async () => {
    for (const limit of [null, 0]) {
      const projectId = await projectWith(pool, limit)
      await grant(store, newInstance(), ask(projectId))
      expect(await warned(projectId)).toEqual([])
    }
  })
})
