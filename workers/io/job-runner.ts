/**
 * Runs jobs: work that a transaction has asked for, done after it, tried again until it succeeds
 * (25 times over some days), by whichever worker process is free.
 */
import {
  Logger as JobLogger,
  type LogLevel,
  type Runner,
  run,
  type TaskList,
} from 'graphile-worker'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'

const jobsAtOnce = 2
const pollMs = 2_000

export function startJobs(pgPool: Pool, taskList: TaskList, log: Logger): Promise<Runner> {
  return run({
    pgPool,
    taskList,
    concurrency: jobsAtOnce,
    pollInterval: pollMs,
    noHandleSignals: true,
    logger: new JobLogger(() => (level, message) => {
      const write = levels[level]
      if (write !== undefined)
        log[write]({ code: 'job', detail: message }, 'The job runner speaks.')
    }),
  })
}

/** Its life story is of no interest; that a job failed is. */
const levels: Readonly<Partial<Record<LogLevel, 'warn' | 'error'>>> = {
  error: 'error',
  warning: 'warn',
}
