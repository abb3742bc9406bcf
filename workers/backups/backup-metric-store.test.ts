import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { gauge } from '#platform/metrics/create-metric.ts'
import type { Pool } from '#platform/postgres.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { observeBackups } from './backup-metric-store.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

test('the metric is the time of the last complete backup, and only the owner has it', async () => {
  const metric = gauge(new Registry(), commonMetrics.backupLastSuccess)
  const valuesNow = async () => (await metric.get()).values.map(({ value }) => value)
  await observeBackups(pg, { gauge: metric, isOwner: () => true })
  expect(await valuesNow()).toEqual([0])
  await pg.query(
    `insert into backups (id, finished_at, place, state) values
       ('a', '2026-11-20 10:00:00Z', 'x', 'complete'), ('b', '2026-11-21 10:00:00Z', 'x', 'complete'),
       ('c', '2026-11-22 10:00:00Z', 'x', 'failed'), ('d', null, 'x', 'running')`,
  )
  await observeBackups(pg, { gauge: metric, isOwner: () => true })
  expect(await valuesNow()).toEqual([Date.parse('2026-11-21T10:00:00Z') / 1000])
  await observeBackups(pg, { gauge: metric, isOwner: () => false })
  expect(await valuesNow()).toEqual([0])
})
