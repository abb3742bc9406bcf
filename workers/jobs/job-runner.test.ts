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

/** Returns the pool with connections that break during the outage. */
function refusing(pool: Pool, outage: { isOn: boolean; refusedCount: number }): Pool {
  const connect = (done?: Parameters<Pool['connect']>[0]) => {
    if (!outage.isOn) return done === undefined ? pool.connect() : pool.connect(done)
    outage.refusedCount += 1
    const error = new Error('Connection terminated unexpectedly')
    if (done === undefined) return Promise.reject(error)
    return done(error, undefined, () => undefined)
  }
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
