import { Registry } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { startJobs } from '../jobs/job-runner.ts'
import { UpkeepMetrics } from './upkeep-metrics.ts'
import { countJobs, nearestToQuota } from './upkeep-store.ts'

let pg: Pool
let project: ProjectId
usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
const period = '2026-11-01'

beforeEach(() => pg.query('delete from quota_usage'))

async function use(of: ProjectId, used: number, limit: number | null, month = period) {
  await pg.query('update projects set monthly_events = $2 where dsn_id = $1', [of, limit])
  await pg.query('insert into quota_usage (project_id, period, used) values ($1, $2, $3)', [
    of,
    month,
    used,
  ])
}

test('the ten projects nearest to their quota in this month, without unlimited ones', async () => {
  await use(project, 10_000, null)
  for (let at = 0; at < 12; at += 1) await use(await addProject(pg), at * 10, 100)
  await use(await addProject(pg), 99_999, 100, '2026-10-01')
  await use(await addProject(pg), 5, 0)
  const nearest = await nearestToQuota(pg, period)
  expect(nearest.map(({ ratio }) => ratio)).toEqual([
    1.1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2,
  ])
  expect(nearest[0]?.project).toMatch(/^[0-9a-f-]{36}$/)
})

test('only this month is read, however many months there are', async () => {
  await use(project, 1, 100)
  await pg.query(
    `insert into quota_usage (project_id, period, used)
     select $1, date '1900-01-01' + (n || ' months')::interval, 1 from generate_series(1, 1500) n`,
    [project],
  )
  await pg.query('analyze quota_usage, projects')
  const plans: string[] = []
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await pg.query(`explain ${text}`, values)
      plans.push(...rows.map((row) => row['QUERY PLAN']))
      return { rows: [] }
    },
  }
  await nearestToQuota(explaining as unknown as Pool, period)
  expect(plans.join('\n')).not.toContain('Seq Scan on quota_usage')
})

test('jobs that are due and that failed for good are counted by task, and idle tasks are 0', async () => {
  const tasks = { upkeep_good: async () => undefined, upkeep_bad: async () => undefined }
  const jobs = await startJobs({ pg, tasks, log: createLogger('test', 'silent') })
  await jobs.stop()
  const add = (task: string, runAt: string, attempts: number) =>
    pg
      .query(
        `with job as (select (graphile_worker.add_job($1, run_at => now() + $2::interval)).id)
       select from job`,
        [task, runAt],
      )
      .then(() =>
        pg.query(
          `update graphile_worker._private_jobs set attempts = $1 where id = (select max(id) from graphile_worker._private_jobs)`,
          [attempts],
        ),
      )
  await add('upkeep_bad', '-1 minute', 0)
  await add('upkeep_bad', '1 hour', 3)
  await add('upkeep_bad', '-1 minute', 25)
  const counts = (await countJobs(pg)).filter(({ task }) => task.startsWith('upkeep_'))
  expect(counts.find(({ task }) => task === 'upkeep_bad')).toEqual({
    task: 'upkeep_bad',
    waiting: 1,
    failed: 1,
  })
  for (const { task, waiting, failed } of counts) {
    if (task === 'upkeep_good') expect([waiting, failed]).toEqual([0, 0])
  }
})

test('one process reports, old projects are removed, and nothing remains when it is not the owner', async () => {
  const registry = new Registry()
  let isOwner = true
  const clock = { nowMs: () => Date.parse('2026-11-20T00:00:00Z'), monotonicMs: () => 0 }
  const metrics = new UpkeepMetrics({ registry, pg, clock, isOwner: () => isOwner })
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('workers_quota'))
  await use(project, 50, 100)
  await metrics.run()
  expect(await lines()).toEqual([
    expect.stringMatching(/^workers_quota_used_ratio{project=".*"} 0.5$/),
  ])
  await pg.query('delete from quota_usage')
  await metrics.run()
  expect(await lines()).toEqual([])
  await use(project, 50, 100)
  isOwner = false
  await metrics.run()
  expect(await lines()).toEqual([])
})
