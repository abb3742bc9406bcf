import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { deleteOldInstances, settleSilentInstances } from './instance-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

beforeEach(async () => {
  await pg.query('delete from ingest_boots')
  await pg.query('delete from frame_progress')
})

/** Adds an instance. Ages are Postgres intervals before now. */
async function addInstance(seen: string, settled?: string): Promise<string> {
  const instance = randomUUID()
  await pg.query(
    `insert into ingest_boots (boot_id, started_at, seen_at, settled_at)
     values ($1, now() - interval '100 days', now() - $2::interval, now() - $3::interval)`,
    [instance, seen, settled ?? null],
  )
  await pg.query(
    `insert into frame_progress (partition, boot_id, contiguous, updated_at)
     values (0, $1, 5, now() - $2::interval)`,
    [instance, seen],
  )
  return instance
}

async function remembered(): Promise<string[]> {
  const { rows } = await pg.query('select boot_id from frame_progress')
  return rows.map(({ boot_id }) => boot_id)
}

describe('Instances that are silent', () => {
  test('for a day are settled, and their unused leased events are returned', async () => {
    const [silent, alive] = [await addInstance('25 hours'), await addInstance('23 hours')]
    for (const instance of [silent, alive]) {
      await pg.query(
        `insert into quota_leases (project_id, period, boot_id, request_no, units, seen)
         values ($1, '2026-11-01', $2, 1, 10, 4)`,
        [project, instance],
      )
    }
    await pg.query(`insert into quota_usage values ($1, '2026-11-01', 20)`, [project])
    expect(await settleSilentInstances(pg)).toBe(1)
    expect(await settleSilentInstances(pg)).toBe(0)
    const { rows } = await pg.query('select used from quota_usage where project_id = $1', [project])
    expect(rows).toEqual([{ used: 14 }])
    const instances = await pg.query('select boot_id from ingest_boots where settled_at is null')
    expect(instances.rows).toEqual([{ boot_id: alive }])
  })

  test('are settled once when two workers do it concurrently', async () => {
    await Promise.all(Array.from({ length: 5 }, () => addInstance('2 days')))
    const settled = await Promise.all([settleSilentInstances(pg), settleSilentInstances(pg)])
    expect(settled[0]! + settled[1]!).toBe(5)
  })
})

describe('The frame progress of an instance', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['is live                                         ', '1 second', undefined,   'kept'],
    ['was adopted and confirmed eight days ago        ', '8 days',   '8 days',    'forgotten'],
    ['was adopted and confirmed six days ago          ', '6 days',   '6 days',    'kept'],
    ['was settled after silence, not long ago         ', '30 days',  '29 days',   'kept'],
    ['has been silent for 90 days                     ', '91 days',  '90 days',   'forgotten'],
    ['was silent for 90 days and not settled',           '91 days',  undefined,   'forgotten'],
  ] as const)('that %s', async (_name, seen, settled, want) => {
    const instance = await addInstance(seen, settled)
    await deleteOldInstances(pg)
    expect(await remembered()).toEqual(want === 'kept' ? [instance] : [])
  })

  test('that is unknown is kept for 90 days', async () => {
    const [young, old] = [await addInstance('89 days'), await addInstance('91 days')]
    await pg.query('delete from ingest_boots')
    await deleteOldInstances(pg)
    expect(await remembered()).toEqual([young])
    expect(await remembered()).not.toContain(old)
  })
})
