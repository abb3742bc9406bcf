/** Against a real Postgres of its own, thrown away afterwards. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import {
  ask,
  newBoot,
  period,
  type QuotaFixture,
  startQuotaFixture,
} from '../../test/quota-fixture.ts'

let fixture: QuotaFixture

beforeAll(async () => {
  fixture = await startQuotaFixture()
}, 60_000)

afterAll(() => fixture?.stop(), 30_000)

describe('a threshold', () => {
  const warned = async (projectId: ProjectId) => {
    const text = 'select percent from quota_warnings where project_id = $1 order by percent'
    return (await fixture.pool.query(text, [projectId])).rows.map((row) => row.percent)
  }
  const jobs = async (projectId: ProjectId) => {
    const text = `select payload from graphile_worker._private_jobs
                   where (payload->>'project_id')::bigint = $1 order by id`
    return (await fixture.pool.query(text, [projectId])).rows.map((row) => row.payload)
  }

  test('is told once when it is passed, the highest of several in one letter', async () => {
    const projectId = await fixture.projectWith(100)
    const boot = newBoot()
    const takes = (unitsNeeded: number) => fixture.grant(boot, ask(projectId, { unitsNeeded }))
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

  test('that cannot be told is told by the next grant, and refuses nobody', async () => {
    const projectId = await fixture.projectWith(100)
    const boot = newBoot()
    await fixture.pool.query('alter schema graphile_worker rename to graphile_worker_away')
    await fixture.pool.query(`create schema graphile_worker; create function graphile_worker.add_job(a text, b json)
      returns void language plpgsql as $$ begin raise exception 'broken'; end $$`)
    try {
      expect((await fixture.grant(boot, ask(projectId, { unitsNeeded: 60 }))).units).toBe(60)
      expect(await warned(projectId)).toEqual([])
    } finally {
      await fixture.pool.query('drop schema graphile_worker cascade')
      await fixture.pool.query('alter schema graphile_worker_away rename to graphile_worker')
    }
    await fixture.grant(boot, ask(projectId))
    expect(await jobs(projectId)).toMatchObject([{ percent: 50 }])
  })

  test('is none where there is no limit, or a limit of nothing', async () => {
    for (const limit of [null, 0]) {
      const projectId = await fixture.projectWith(limit)
      await fixture.grant(newBoot(), ask(projectId))
      expect(await warned(projectId)).toEqual([])
    }
  })
})
