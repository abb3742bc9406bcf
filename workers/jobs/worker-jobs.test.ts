import { expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { defaultRetention } from '../../test/fixtures/workers/default-retention.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { weekMs } from './cron-jobs.ts'
import { startWorkerJobs } from './worker-jobs.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

function startWorker() {
  return startWorkerJobs({
    pg,
    jobPg: pg,
    clickhouse: undefined as never,
    clock: systemClock,
    machineClock: systemClock,
    log: createLogger('test', 'silent'),
    metrics: createWorkerMetrics(),
    days: defaultRetention,
    sender: { email: 'owner@acme.test', name: null },
    deliveries: undefined as never,
    objects: undefined as never,
    publicUrl: 'https://sluice.test',
    ends: { layout: { first: 0, partitions: 0 }, lastSeq: async () => 0, graceMs: 0 },
    signal: new AbortController().signal,
  })
}

test('a start removes the portal_drift job that an earlier version enqueued, and registers the cron job', async () => {
  const before = await startWorker()
  const runAt = new Date(systemClock.nowMs() + weekMs)
  await before.addJob('portal_drift', {}, { jobKey: 'portal_drift', runAt })
  await before.stop()

  const after = await startWorker()
  try {
    const pending = `select from graphile_worker.jobs where task_identifier = 'portal_drift'`
    expect((await pg.query(pending)).rowCount).toBe(0)
    const known = async () =>
      (
        await pg.query(
          `select from graphile_worker._private_known_crontabs where identifier = 'portal_drift'`,
        )
      ).rowCount
    await expect.poll(known).toBe(1)
  } finally {
    await after.stop()
  }
})
