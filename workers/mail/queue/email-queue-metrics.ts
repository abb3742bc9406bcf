import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import type { MailMetrics } from '../mail-metrics.ts'
import { countWaitingEmails, isFirstMailProcess } from './email-queue-store.ts'

const intervalMs = 10_000

export interface EmailQueueOptions {
  readonly pg: Pool
  readonly processId: string
  readonly metrics: Pick<MailMetrics, 'emailsWaiting' | 'oldestEmail'>
}

/** Reports the emails that wait, if this is the first of the running mail processes. */
export function emailQueueTask(options: EmailQueueOptions): PeriodicTaskOptions {
  return {
    name: 'email_queue_metrics',
    intervalMs,
    first: 'now',
    run: () => reportEmailQueue(options),
    failure: {
      code: 'email_queue_unknown',
      text: 'Counting the emails that wait failed',
      level: 'debug',
    },
  }
}

/** If Postgres does not respond, the last samples remain. */
export async function reportEmailQueue(options: EmailQueueOptions): Promise<void> {
  const { pg, processId, metrics } = options
  const { emailsWaiting, oldestEmail } = metrics
  if (!(await isFirstMailProcess(pg, processId))) {
    emailsWaiting.reset()
    oldestEmail.reset()
    return
  }
  for (const { lane, waiting, oldestSeconds } of await countWaitingEmails(pg)) {
    emailsWaiting.set({ lane }, waiting)
    oldestEmail.set({ lane }, oldestSeconds)
  }
}
