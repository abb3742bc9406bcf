import { expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { startJobs } from './job-runner.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

const log = createLogger('test', 'silent')

test('a job whose result could not be stored does not end the process, and the next job runs', async () => {
  const outage = { isOn: false, refusedCount: 0 }
  const ran: string[] = []
  const jobs = await startJobs({
    pg: refusing(pg, outage),
    tasks: {
      first: async () => {
        ran.push('first')
        outage.isOn = true
      },
      second: async () => void ran.push('second'),
    },
    log,
  })
  try {
    await jobs.addJob('first', {})
    await expect.poll(() => outage.refusedCount).toBeGreaterThan(1)
    outage.isOn = false
    await jobs.addJob('second', {})
    await expect.poll(() => ran).toEqual(['first', 'second'])
  } finally {
    await jobs.stop()
  }
})

test('jobs run also when the first query of the runner failed', async () => {
  const ran: string[] = []
  const refused: string[] = []
  const jobs = await startJobs({
    pg: refusingTasks(pg, refused),
    tasks: { late: async () => void ran.push('late') },
    log,
  })
  try {
    await expect.poll(() => refused).toHaveLength(1)
    await jobs.addJob('late', {})
    await expect.poll(() => ran).toEqual(['late'])
  } finally {
    await jobs.stop()
  }
})

/** Returns the pool, in which reading the numbers of the tasks fails once. */
function refusingTasks(pool: Pool, refused: string[]): Pool {
  const connect = (done?: Parameters<Pool['connect']>[0]) => {
    if (done !== undefined) return pool.connect(done)
    return pool.connect().then((client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      const refusing = (...args: unknown[]) => {
        const text = JSON.stringify(args[0]) ?? ''
        if (refused.length > 0 || !/insert into \S+_private_tasks/.test(text)) return query(...args)
        refused.push(text)
        return Promise.reject(new Error('Connection terminated due to connection timeout'))
      }
      return Object.assign(client, { query: refusing })
    })
  }
  return withConnect(pool, connect)
}

/** Returns the pool with connections that break during the outage. */
function refusing(pool: Pool, outage: { isOn: boolean; refusedCount: number }): Pool {
  const connect = (done?: Parameters<Pool['connect']>[0]) => {
    if (!outage.isOn) return done === undefined ? pool.connect() : pool.connect(done)
    outage.refusedCount += 1
    const error = new Error('Connection terminated unexpectedly')
    if (done === undefined) return Promise.reject(error)
    return done(error, undefined, () => undefined)
  }
  return withConnect(pool, connect)
}

function withConnect(pool: Pool, connect: unknown): Pool {
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
