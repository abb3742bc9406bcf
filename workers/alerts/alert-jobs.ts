/**
 * The jobs of alert rules. They have a queue runner of their own, so that a deletion that takes
 * minutes delays no notification.
 */
import type { TaskList } from 'graphile-worker'
import { z } from 'zod'
import type { CronJob } from '../jobs/cron-jobs.ts'
import { evaluateMeasures } from './measures/evaluate-measures.ts'
import type { MeasureContext } from './measures/measure.ts'
import { resumeNotifications } from './notification-store.ts'
import { type NotifyContext, notifyRule } from './notify-rule.ts'

const Payload = z.object({ rule_id: z.uuid() })

/** Notifications that one process makes at a time. */
export const rulesAtOnce = 2

export interface AlertJobContext extends NotifyContext {
  readonly notified: { inc(): void }
}

export function alertTasks(ctx: AlertJobContext): TaskList {
  return {
    notify_rule: async (payload) => {
      const result = await notifyRule(ctx, Payload.parse(payload).rule_id)
      if (result.kind === 'notified') ctx.notified.inc()
    },
  }
}

const minuteMs = 60_000

export function alertCronJobs(ctx: MeasureContext): readonly CronJob[] {
  return [
    {
      task: 'resume_notifications',
      match: '* * * * *',
      periodMs: minuteMs,
      run: () => resumeNotifications(ctx.pg, new Date(ctx.clock.nowMs())),
      failure: { code: 'care_failed', text: 'Resuming notifications of alert rules failed' },
    },
    {
      task: 'evaluate_measures',
      match: '* * * * *',
      periodMs: minuteMs,
      run: () => evaluateMeasures(ctx),
      failure: { code: 'care_failed', text: 'Evaluating the measures of alert rules failed' },
    },
  ]
}
