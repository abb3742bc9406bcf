/** The jobs of the worker process: those that transactions enqueue, and the cron jobs. */

import type { TaskList } from 'graphile-worker'
import { type Clock, pause } from '#platform/clock.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import { lastSuccessGauge } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import { alertCronJobs, alertTasks, rulesAtOnce } from '../alerts/alert-jobs.ts'
import { countIssueUsers } from '../alerts/issue-user-store.ts'
import { sweepAttachments } from '../attachments/sweep-attachments.ts'
import { sweepPorts } from '../attachments/sweep-store.ts'
import { deleteIssueEvents } from '../deletions/delete-issue-events.ts'
import { deletionContext } from '../deletions/deletion-store.ts'
import { deliveryTasks, resumeDeliveriesJob, targetsAtOnce } from '../deliveries/delivery-jobs.ts'
import type { DeliverySettings } from '../deliveries/delivery-settings.ts'
import { resumeDeliveries } from '../deliveries/delivery-store.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { reindexIdeas } from '../portal-drift/idea-count-store.ts'
import { deletionTasks, resumeDeletions } from '../removals/deletion-job-store.ts'
import type { StreamEnds } from '../removals/stream-passed-store.ts'
import { type CleanupContext, cleanupJobs } from './cleanup-jobs.ts'
import { type CronJob, cronItemsOf, cronTasksOf, hourMs } from './cron-jobs.ts'
import { fireQuotaRules } from './fire-quota-store.ts'
import { warnOfBurst } from './issue-burst.ts'
import { type Jobs, startJobs } from './job-runner.ts'
import { queueOwnerEmail } from './owner-email-store.ts'
import { type OwnerEmail, type QuotaWarning, warnOfQuota } from './quota-warning.ts'
import { findWarnedProject } from './warned-project-store.ts'

export interface WorkerJobsOptions
  extends Omit<CleanupContext, 'deadLettersExpired' | 'rowsExpired'> {
  readonly clock: Clock
  /** Connections of the job queue itself. Jobs work with those of `pg`. */
  readonly jobPg: Pool
  readonly metrics: WorkerMetrics
  /** Sender of emails to the owners of an organization. */
  readonly sender: Mailbox
  /** For deletions, which wait until the stream has passed. */
  readonly ends: StreamEnds
  readonly deliveries: DeliverySettings
  /** Address of the pages that notifications link to, without a slash at its end. */
  readonly publicUrl: string
  /** Files of events. */
  readonly objects: ObjectStore
}

export async function startWorkerJobs(options: WorkerJobsOptions): Promise<Jobs> {
  const { jobPg, metrics, clock, log } = options
  const { deadLettersExpired, rowsExpired } = metrics
  const cronJobs = [
    ...cleanupJobs({ ...options, deadLettersExpired, rowsExpired }),
    resumeJob(options),
    sweepJob(options),
    resumeDeliveriesJob(options),
    ...alertCronJobs(options),
  ]
  const lastSuccess = lastSuccessGauge(metrics.registry)
  const jobs = await startJobs({
    pg: jobPg,
    tasks: { ...enqueuedTasks(options), ...cronTasksOf(cronJobs, { clock, log, lastSuccess }) },
    cronItems: cronItemsOf(cronJobs),
    log,
  })
  // Events of issues that were deleted before the job queue existed.
  await retryAtStart(log, 'Postgres', () =>
    jobs.addJob('delete_issue_events', undefined, { jobKey: 'delete_issue_events' }),
  )
  // A killed process leaves its job locked for hours; a deletion continues at the next start.
  await retryAtStart(log, 'Postgres', () =>
    resumeDeletions(options.pg, (...job) => jobs.addJob(...job)),
  )
  const deliveries = await startDeliveryJobs(options)
  const notifications = await startAlertJobs(options)
  // Left by a version whose drift check enqueued itself. The cron job has taken its place.
  await retryAtStart(log, 'Postgres', () => jobs.removeJob('portal_drift'))
  return {
    ...jobs,
    stop: async () => {
      await Promise.all([jobs.stop(), deliveries.stop(), notifications.stop()])
    },
  }
}

/** Slow receivers occupy this queue runner, and no other job. */
async function startDeliveryJobs(options: WorkerJobsOptions): Promise<Jobs> {
  const { jobPg, pg, metrics, clock, log, signal, deliveries } = options
  const count = (type: string, end: string) => metrics.deliveryAttempts.inc({ type, end })
  const jobs = await startJobs({
    pg: jobPg,
    tasks: deliveryTasks({ ...deliveries, pg, clock, log, signal, count }),
    jobsAtOnce: targetsAtOnce,
    log,
  })
  // Those of a process that was killed wait for its lease.
  await retryAtStart(log, 'Postgres', () => resumeDeliveries(pg, new Date(clock.nowMs())))
  return jobs
}

/** A job that takes minutes delays no notification. */
function startAlertJobs(options: WorkerJobsOptions): Promise<Jobs> {
  const { jobPg, pg, clickhouse, metrics, clock, log, publicUrl } = options
  const countUsers = (issueIds: readonly string[]) => countIssueUsers({ pg, clickhouse }, issueIds)
  const notified = metrics.notifications
  return startJobs({
    pg: jobPg,
    tasks: alertTasks({ pg, clock, publicUrl, countUsers, notified }),
    jobsAtOnce: rulesAtOnce,
    log,
  })
}

/** Files of events that no row names. */
function sweepJob({ pg, objects, ends, clock, signal, log }: WorkerJobsOptions): CronJob {
  return {
    task: 'sweep_attachments',
    match: '57 * * * *',
    periodMs: hourMs,
    run: async () => {
      const ports = sweepPorts({ pg, objects, ends, signal, nowMs: () => clock.nowMs() })
      const removed = await sweepAttachments(ports)
      if (removed > 0) {
        log.info({ code: 'attachments_swept', removed }, 'Files that no event names were removed.')
      }
    },
    failure: { code: 'care_failed', text: 'Removing files that no event names failed' },
  }
}

/** Deletions whose job was lost or has used up its retries. */
function resumeJob({ pg }: WorkerJobsOptions): CronJob {
  const enqueue = `select graphile_worker.add_job($1, $2::json, job_key := $3)`
  return {
    task: 'resume_deletions',
    match: '15 * * * *',
    periodMs: hourMs,
    run: () =>
      resumeDeletions(pg, (task, payload, { jobKey }) =>
        pg.query(enqueue, [task, JSON.stringify(payload), jobKey]),
      ),
    failure: { code: 'care_failed', text: 'Resuming deletions failed' },
  }
}

function enqueuedTasks(options: WorkerJobsOptions): TaskList {
  const { pg, clickhouse, clock, log, signal, sender, ends } = options
  const deletions = deletionContext({ pg, clickhouse, clock, sleep: pause, signal })
  const owners = {
    findProject: (projectId: Parameters<typeof findWarnedProject>[1]) =>
      findWarnedProject(pg, projectId),
    send: (email: OwnerEmail) => queueOwnerEmail(pg, email, sender),
    fire: (warning: QuotaWarning, reason: string) =>
      fireQuotaRules(pg, warning, { reason, nowMs: clock.nowMs() }),
  }
  return {
    quota_warning: (payload) => warnOfQuota(payload, owners),
    issue_flood: (payload) => warnOfBurst(payload, owners),
    ...deletionTasks({ pg, clickhouse, clock, sleep: pause, signal, ends, log }),
    delete_issue_events: () => deleteIssueEvents(deletions),
    reindex_ideas: (payload) => reindexIdeas(pg, (payload as { project_id: string }).project_id),
  }
}
