/**
 * Runs jobs: work that a transaction has asked for, done after it, tried again until it succeeds
 * (25 times over some days), by whichever worker process is free.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger as JobLogger,
  type LogLevel,
  type Runner,
  type RunnerOptions,
  run,
  type TaskList,
} from 'graphile-worker'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'

const jobsAtOnce = 2
const pollMs = 2_000
const restartMs = 5_000

export interface Jobs {
  readonly addJob: Runner['addJob']
  /** Waits for the jobs in hand. */
  stop(): Promise<void>
}

/** Rejects when Postgres does not answer for long. Afterwards jobs are run until `stop`, however often it goes away. */
export async function startJobs(pgPool: Pool, taskList: TaskList, log: Logger): Promise<Jobs> {
  const begin = () => run(optionsOf(pgPool, taskList, log))
  let runner = await retryAtStart(log, 'Postgres', begin)
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    while (true) {
      await runner.promise.catch(() => undefined)
      if (signal.aborted) return
      log.warn({ code: 'jobs_ended' }, 'The job runner has ended; it is started again.')
      const next = await beginAgain(begin, signal)
      if (next === undefined) return
      runner = next
    }
  })()
  return {
    addJob: (...job) => runner.addJob(...job),
    stop: async () => {
      stopping.abort()
      // It says so when it has ended already.
      await runner.stop().catch(() => undefined)
      await running
    },
  }
}

async function beginAgain(
  begin: () => Promise<Runner>,
  signal: AbortSignal,
): Promise<Runner | undefined> {
  while (!signal.aborted) {
    await sleep(restartMs, undefined, { signal }).catch(() => undefined)
    const runner = signal.aborted ? undefined : await begin().catch(() => undefined)
    if (!signal.aborted && runner !== undefined) return runner
    await runner?.stop()
  }
  return undefined
}

function optionsOf(pgPool: Pool, taskList: TaskList, log: Logger): RunnerOptions {
  return {
    pgPool,
    taskList,
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: jobsAtOnce,
        pollInterval: pollMs,
        // When it cannot be said what became of a job, the runner ends, and the job is tried again after its lock of four
        // hours. Without batches it would leave a rejected promise behind instead, which ends the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    logger: new JobLogger(() => (level, message) => {
      const write = levels[level]
      if (write !== undefined)
        log[write]({ code: 'job', detail: message }, 'The job runner speaks.')
    }),
  }
}

/** Its life story is of no interest; that a job failed is. */
const levels: Readonly<Partial<Record<LogLevel, 'warn' | 'error'>>> = {
  error: 'error',
  warning: 'warn',
}
