/**
 * Cron jobs of graphile-worker: work that has to run once per period over all worker processes. The
 * first process enqueues each job exactly once at its minute (UTC), and any free process runs it.
 * After a time without any worker process, the last missed run of each job is made up for at start.
 */
import { type CronItem, type ParsedCronItem, parseCronItems, type TaskList } from 'graphile-worker'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { formatInterval, type PeriodicFailure } from '#platform/periodic.ts'

export interface CronJob {
  /** Task identifier of the queue, and label of the metric. */
  readonly task: string
  /** Five fields of a crontab, in UTC. */
  readonly match: string
  /** Time between two runs. A missed run is made up for if it was due within this time. */
  readonly periodMs: number
  readonly run: () => Promise<unknown>
  /**
   * If present, a failure is logged and the next period runs the job again. If absent, the queue
   * retries the job with backoff.
   */
  readonly failure?: PeriodicFailure
}

export interface CronJobContext {
  readonly clock: Clock
  readonly log: Logger
  readonly lastSuccess: { set(labels: { task: string }, seconds: number): void }
}

export const hourMs = 3_600_000
export const weekMs = 7 * 24 * hourMs

/**
 * The key under which cron enqueues a job. Versions before this one let `portal_drift` enqueue
 * itself under its bare name, so that name as a key marks a job that the cron job has replaced.
 */
const cronKey = (task: string) => `cron:${task}`

export function isReplacedByCron(task: string, key: string | null): boolean {
  return key === task
}

export function cronItemsOf(jobs: readonly CronJob[]): ParsedCronItem[] {
  return parseCronItems(
    jobs.map(
      ({ task, match, periodMs }): CronItem => ({
        task,
        match,
        // With a key there is at most one row of a job, even after its last retry failed.
        options: { backfillPeriod: periodMs, jobKey: cronKey(task) },
      }),
    ),
  )
}

export function cronTasksOf(jobs: readonly CronJob[], ctx: CronJobContext): TaskList {
  const tasks: TaskList = {}
  for (const job of jobs) {
    tasks[job.task] = async (_payload, { job: { key } }) => {
      if (!isReplacedByCron(job.task, key)) await runCronJob(job, ctx)
    }
  }
  return tasks
}

async function runCronJob({ task, run, periodMs, failure }: CronJob, ctx: CronJobContext) {
  try {
    await run()
    ctx.lastSuccess.set({ task }, ctx.clock.nowMs() / 1000)
  } catch (error) {
    if (failure === undefined) throw error
    ctx.log[failure.level ?? 'warn'](
      { code: failure.code, task, err: error },
      `${failure.text}; retrying in ${formatInterval(periodMs)}.`,
    )
  }
}
