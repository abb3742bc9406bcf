import { Registry } from 'prom-client'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { lastSuccessGauge } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { cleanupJobs } from './cleanup-jobs.ts'
import { type CronJob, cronItemsOf, cronTasksOf, weekMs } from './cron-jobs.ts'
import { type Jobs, startJobs } from './job-runner.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

const log = createLogger('test', 'silent')
const clock = { nowMs: () => 1_700_000_000_000, monotonicMs: () => 0 }

/** Starts the job queue of a worker process with one cron job. */
async function startWorker(job: Partial<CronJob> & Pick<CronJob, 'run'>) {
  const registry = new Registry()
  const jobs = [{ task: 'portal_drift', match: '51 3 * * 1', periodMs: weekMs, ...job }]
  const ctx = { clock, log, lastSuccess: lastSuccessGauge(registry) }
  const runner = await startJobs({
    pg,
    tasks: { ...cronTasksOf(jobs, ctx), marker: async () => undefined },
    cronItems: cronItemsOf(jobs),
    log,
  })
  return { runner, registry }
}

async function pendingJobs(): Promise<readonly { key: string | null; task: string }[]> {
  const { rows } = await pg.query(
    'select key, task_identifier as task from graphile_worker.jobs order by id',
  )
  return rows
}

/** Resolves when the queue has run everything that is due. */
async function quiet(jobs: Jobs): Promise<void> {
  await jobs.addJob('marker', {}, { priority: 100 })
  const isDue = async () =>
    (
      await pg.query(
        'select from graphile_worker.jobs where run_at <= now() and attempts < max_attempts',
      )
    ).rowCount
  await expect.poll(isDue).toBe(0)
}

beforeEach(async () => {
  const { runner } = await startWorker({ run: async () => undefined })
  await runner.stop()
  await pg.query('delete from graphile_worker._private_jobs')
  await pg.query('delete from graphile_worker._private_known_crontabs')
})

test('a run that was missed while no process ran is made up for once, by the first process', async () => {
  await pg.query(
    `insert into graphile_worker._private_known_crontabs (identifier, known_since) values ('portal_drift', now() - interval '15 days')`,
  )
  let runs = 0
  const run = async () => {
    runs += 1
  }
  const workers = await Promise.all([startWorker({ run }), startWorker({ run })])
  try {
    await expect.poll(() => runs).toBe(1)
    await Promise.all(workers.map(({ runner }) => quiet(runner)))
    expect(runs).toBe(1)
    expect(await pendingJobs()).toEqual([])
    const reported = await Promise.all(
      workers.map(async ({ registry }) => (await lastSuccessGauge(registry).get()).values),
    )
    expect(reported.flat()).toEqual([{ labels: { task: 'portal_drift' }, value: 1_700_000_000 }])
  } finally {
    await Promise.all(workers.map(({ runner }) => runner.stop()))
  }
})

test('in a new installation no job runs before its first scheduled time', async () => {
  let runs = 0
  const { runner } = await startWorker({
    run: async () => {
      runs += 1
    },
  })
  try {
    await quiet(runner)
    expect(runs).toBe(0)
  } finally {
    await runner.stop()
  }
})

describe('A portal_drift job that an earlier version enqueued itself', () => {
  test('is removed at start while it waits, and cron jobs stay', async () => {
    let runs = 0
    const { runner } = await startWorker({
      run: async () => {
        runs += 1
      },
    })
    try {
      const runAt = new Date(Date.now() + weekMs)
      await runner.addJob('portal_drift', {}, { jobKey: 'portal_drift', runAt })
      await runner.addJob('portal_drift', {}, { jobKey: 'cron:portal_drift', runAt })
      await runner.removeJob('portal_drift')
      await runner.removeJob('portal_drift')
      expect(await pendingJobs()).toEqual([{ key: 'cron:portal_drift', task: 'portal_drift' }])
      expect(runs).toBe(0)
    } finally {
      await runner.stop()
    }
  })

  test('does nothing if it is due before it is removed, and does not enqueue itself again', async () => {
    let runs = 0
    const { runner } = await startWorker({
      run: async () => {
        runs += 1
      },
    })
    try {
      await runner.addJob('portal_drift', {}, { jobKey: 'portal_drift' })
      await quiet(runner)
      expect([runs, await pendingJobs()]).toEqual([0, []])
      // An operator can still start a check by hand.
      await runner.addJob('portal_drift', {})
      await quiet(runner)
      expect([runs, await pendingJobs()]).toEqual([1, []])
    } finally {
      await runner.stop()
    }
  })
})

describe('A cron job that fails', () => {
  const fail = async () => {
    throw new Error('no answer')
  }

  test('is retried by the queue when it has no failure message', async () => {
    const { runner } = await startWorker({ run: fail })
    try {
      await runner.addJob('portal_drift', {}, { jobKey: 'cron:portal_drift' })
      await expect.poll(attempts).toEqual([1])
    } finally {
      await runner.stop()
    }
  })

  test('is logged and runs again in the next period when it has a failure message', async () => {
    const { runner, registry } = await startWorker({
      run: fail,
      failure: { code: 'care_failed', text: 'The check failed' },
    })
    try {
      await runner.addJob('portal_drift', {}, { jobKey: 'cron:portal_drift' })
      await quiet(runner)
      expect(await pendingJobs()).toEqual([])
      expect((await lastSuccessGauge(registry).get()).values).toEqual([])
    } finally {
      await runner.stop()
    }
  })

  async function attempts(): Promise<number[]> {
    const { rows } = await pg.query('select attempts from graphile_worker.jobs')
    return rows.map((row) => row.attempts)
  }
})

test('every cron job has a unique name and minute, and its period matches its pattern', () => {
  const jobs = cleanupJobs({ machineClock: clock, log } as Parameters<typeof cleanupJobs>[0])
  expect(new Set(jobs.map(({ task }) => task)).size).toBe(jobs.length)
  expect(new Set(jobs.map(({ match }) => match.split(' ')[0])).size).toBe(jobs.length)
  // One week from Monday, 2026-11-23, minute by minute.
  const startMs = Date.UTC(2026, 10, 23)
  for (const [index, { match }] of cronItemsOf(jobs).entries()) {
    let count = 0
    for (let atMs = startMs; atMs < startMs + weekMs; atMs += 60_000) {
      const at = new Date(atMs)
      const digest = {
        min: at.getUTCMinutes(),
        hour: at.getUTCHours(),
        date: at.getUTCDate(),
        month: at.getUTCMonth() + 1,
        dow: at.getUTCDay(),
      }
      if (match(digest)) count += 1
    }
    expect(count * jobs[index]!.periodMs).toBe(weekMs)
  }
})
