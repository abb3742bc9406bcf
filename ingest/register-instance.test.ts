/** Which layout an ingest instance publishes to, as Postgres knows it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import { usePostgres } from '../test/fixtures/processes/use-postgres.ts'
import { newInstance } from '../test/fixtures/quota-fixture.ts'
import { PostgresQuotaStore } from './quota/postgres-quota-store.ts'
import {
  expectLayout,
  LayoutReplacedError,
  registerInstance,
  retireInstance,
} from './register-instance.ts'
import { isOfFormerLayout } from './wal/known-instance.ts'

let pool: Pool
usePostgres(({ pg }) => {
  pool = pg
})

const layoutAt = (first: number) => ({ first, partitions: 4, streams: 1 })

const moveTo = (first: number) =>
  pool.query('update installation set first_partition = $1', [first])

beforeEach(async () => {
  await moveTo(0)
  return async () => void (await moveTo(0))
})

async function firstOf(instanceId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ first_partition: number }>(
    'select first_partition from ingest_boots where boot_id = $1',
    [dashed(instanceId)],
  )
  return rows[0]?.first_partition
}

describe('an instance', () => {
  test('registers for the present layout and the next one, and not for a former one', async () => {
    await moveTo(4)
    for (const first of [4, 12]) {
      const instance = newInstance()
      await registerInstance(pool, instance, layoutAt(first))
      expect(await firstOf(instance)).toBe(first)
    }
    const late = newInstance()
    await expect(registerInstance(pool, late, layoutAt(0))).rejects.toThrow('replaced')
    expect(await firstOf(late)).toBeUndefined()
  })

  test('that a restored database does not know names its layout with its next sign of life', async () => {
    const instance = newInstance()
    const store = new PostgresQuotaStore(pool, layoutAt(4))
    await registerInstance(pool, instance, layoutAt(4))
    await pool.query('delete from ingest_boots where boot_id = $1', [dashed(instance)])
    await store.touchInstance(instance)
    expect(await firstOf(instance)).toBe(4)
    await store.settleInstance(instance)
  })

  test('that publishes to a replaced layout ends', async () => {
    await expectLayout(pool, layoutAt(0))
    await moveTo(4)
    await expect(expectLayout(pool, layoutAt(0))).rejects.toBeInstanceOf(LayoutReplacedError)
    await expectLayout(pool, layoutAt(4))
    await expectLayout(pool, layoutAt(12))
  })

  test('that retired without a log holds back no change', async () => {
    const instance = newInstance()
    await registerInstance(pool, instance, layoutAt(0))
    await retireInstance(pool, instance)
    const { rowCount } = await pool.query(
      'select from ingest_boots where boot_id = $1 and settled_at is null and first_partition < $2',
      [dashed(instance), 65_535],
    )
    expect(rowCount).toBe(0)
  })
})

test('the log of an instance is of a former layout only if it is known to be', async () => {
  const [former, present, unknown] = [newInstance(), newInstance(), newInstance()]
  await registerInstance(pool, former, layoutAt(0))
  await registerInstance(pool, present, layoutAt(4))
  await moveTo(4)
  expect(await isOfFormerLayout(pool, former)).toBe(true)
  expect(await isOfFormerLayout(pool, present)).toBe(false)
  expect(await isOfFormerLayout(pool, unknown)).toBe(false)
})
