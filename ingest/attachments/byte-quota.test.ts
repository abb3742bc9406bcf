import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { ByteQuota } from './byte-quota.ts'
import { postgresByteQuotaStore } from './postgres-byte-quota-store.ts'

let pg: Pool
let project: ProjectId
usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

const clock = { nowMs: () => Date.UTC(2026, 10, 23, 12), monotonicMs: () => 0 }
const keyOf = (bytesPerDayMax: number) => ({ projectId: project, attachments: { bytesPerDayMax } })

async function leased(): Promise<number> {
  const { rows } = await pg.query<{ sum: string }>(
    'select sum(leased_bytes) as sum from attachment_usage where project_id = $1',
    [project],
  )
  return Number(rows[0]?.sum ?? 0)
}

test('several processes together never store more than the limit, and use all of it', async () => {
  const key = keyOf(100_000)
  const processes = Array.from(
    { length: 8 },
    () => new ByteQuota(postgresByteQuotaStore(pg), clock),
  )
  const charges = await Promise.all(
    processes.flatMap((quota) => Array.from({ length: 40 }, () => quota.charge(key, 1_000))),
  )
  const charged = charges.filter((charge) => charge === 'charged').length
  expect(charged).toBeLessThanOrEqual(100)
  expect(charged).toBeGreaterThan(80)
  expect(await leased()).toBeLessThanOrEqual(100_000)
  await Promise.all(processes.map((quota) => quota.drain()))
  expect(await leased()).toBe(charged * 1_000)
})

test('a limit that is lowered below what was used grants nothing', async () => {
  const quota = new ByteQuota(postgresByteQuotaStore(pg), clock)
  expect(await quota.charge(keyOf(1_000_000), 500_000)).toBe('charged')
  const later = new ByteQuota(postgresByteQuotaStore(pg), clock)
  expect(await later.charge(keyOf(100), 50)).toBe('over_quota')
})

test('a project that is gone has no bytes', async () => {
  const quota = new ByteQuota(postgresByteQuotaStore(pg), clock)
  const key = { projectId: 999_999 as ProjectId, attachments: { bytesPerDayMax: 1_000 } }
  expect(await quota.charge(key, 1)).toBe('over_quota')
})
