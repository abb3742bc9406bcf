/**
 * Runs jobs that transactions have enqueued. Any free worker process runs a job after that commit,
 * and retries it until it succeeds (25 times over some days). It also enqueues the cron jobs
 * (cron-jobs.ts).
 */
import {
  Logger as JobLogger,
  type ParsedCronItem,
  type Runner,
  type RunnerOptions,
  run,
  type TaskList,
} from 'graphile-worker'
import { pause } from '#platform/clock.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import { writeLineTo } from './job-log.ts'

const jobsAtOnceDefault = 2
const pollMs = 2_000
const restartMs = 5_000
/** Failed looks for a job, one after another, after which the runner is replaced. */
const failedLooksMax = 6

export interface JobRunnerOptions {
  readonly pg: Pool
  readonly tasks: TaskList
  readonly cronItems?: readonly ParsedCronItem[]
  /** Only tasks of this runner count. */
  readonly jobsAtOnce?: number
  readonly log: Logger
}

export interface Jobs {
  readonly addJob: Runner['addJob']
  /** Deletes the waiting job with this key. A running one ends, and is not retried if it fails. */
  removeJob(jobKey: string): Promise<void>
  /** Waits for the jobs that are running. */
  stop(): Promise<void>
}

/**
 * Rejects if Postgres cannot be reached for a minute. Afterwards jobs run until `stop`, also after
 * Postgres was unavailable.
 */
export async function startJobs(options: JobRunnerOptions): Promise<Jobs> {
  const { pg, log } = options
  const begin = () => run(runnerOptions(options))
  let runner = await retryAtStart(log, 'Postgres', begin)
  const stopping = new AbortController()
  const { signal } = stopping
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const running = (async () => {
    while (true) {
      // A stopped runner may end late: its cron sleeps up to a minute after Postgres was
      // unavailable.
      const ended = runner.promise.then(
        () => 'has ended',
        () => 'has ended',
      )
      const end = await Promise.race([ended, findsNoJobs(runner), stopped])
      if (signal.aborted) return
      log.warn(
        { code: 'jobs_ended', ...mayFollowOutage },
        `The job runner ${end}; restarting it in ${restartMs / 1000} s.`,
      )
      // Jobs that it runs end; it rejects if it has ended already.
      runner.stop().catch(() => undefined)
      const next = await beginAgain(begin, signal)
      if (next === undefined) return
      runner = next
    }
  })()
  return {
    addJob: (...job) => runner.addJob(...job),
    removeJob: async (jobKey) => {
      await pg.query('select from graphile_worker.remove_job($1)', [jobKey])
    },
    stop: async () => {
      stopping.abort()
      // It rejects if the runner has ended already.
      await runner.stop().catch(() => undefined)
      await running
    },
  }
}

/**
 * Resolves when the runner cannot look for jobs. It remembers for ever that its first query failed,
 * with which it reads the numbers of the tasks: only another runner would run jobs again.
 */
function findsNoJobs({ events }: Runner): Promise<string> {
  return new Promise((resolve) => {
    let failures = 0
    const found = () => {
      failures = 0
    }
    events.on('worker:getJob:empty', found)
    events.on('job:start', found)
    events.on('worker:getJob:error', () => {
      failures += 1
      if (failures === failedLooksMax) resolve('cannot look for jobs')
    })
  })
}

async function beginAgain(
  begin: () => Promise<Runner>,
  signal: AbortSignal,
): Promise<Runner | undefined> {
  while (!signal.aborted) {
    await pause(restartMs, signal)
    const runner = signal.aborted ? undefined : await begin().catch(() => undefined)
    if (!signal.aborted && runner !== undefined) return runner
    await runner?.stop()
  }
  return undefined
}

function runnerOptions(options: JobRunnerOptions): RunnerOptions {
  const { pg, tasks, cronItems = [], jobsAtOnce = jobsAtOnceDefault, log } = options
  return {
    pgPool: pg,
    taskList: tasks,
    parsedCronItems: [...cronItems],
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: jobsAtOnce,
        pollInterval: pollMs,
        // If the outcome of a job cannot be stored, the runner ends, and the job is retried after
        // its lock of four hours has expired. With batches the runner would leave a rejected
        // promise behind instead, which ends the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    logger: new JobLogger(() => writeLineTo(log)),
  }
}
