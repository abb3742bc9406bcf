/**
 * The jobs that send notifications. They have a queue runner of their own: a receiver that answers
 * slowly delays neither other jobs nor, within a bound, other targets.
 */
import type { TaskList } from 'graphile-worker'
import { z } from 'zod'
import type { CronJob } from '../jobs/cron-jobs.ts'
import { type DeliveryContext, deliverToTarget } from './deliver-to-target.ts'
import { failOverdue, resumeDeliveries } from './delivery-store.ts'
import { OrganizationSlots } from './organization-slots.ts'

const Payload = z.object({ target_id: z.uuid() })

/** Targets that one process sends to at a time. */
export const targetsAtOnce = 16

export function deliveryTasks(ctx: DeliveryContext): TaskList {
  const slots = new OrganizationSlots()
  return {
    deliver: (payload) => deliverToTarget(ctx, Payload.parse(payload).target_id, slots),
  }
}

const minuteMs = 60_000

export function resumeDeliveriesJob({ pg, clock }: Pick<DeliveryContext, 'pg' | 'clock'>): CronJob {
  return {
    task: 'resume_deliveries',
    match: '* * * * *',
    periodMs: minuteMs,
    run: async () => {
      const now = new Date(clock.nowMs())
      await failOverdue(pg, now)
      return resumeDeliveries(pg, now)
    },
    failure: { code: 'care_failed', text: 'Resuming deliveries of notifications failed' },
  }
}
