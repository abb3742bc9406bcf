import type { z } from 'zod'
import type { ContactNumbers } from '#schemas/rest/email/contact-admin.ts'
import type { ApiContext } from '../context.ts'
import { countContactsByDay, countContactsByStatus } from './contact-list-store.ts'

const daysShown = 30
const dayMs = 24 * 3_600_000

/** Counts the contacts of a newsletter by status, and its signups of the last 30 days in UTC. */
export async function countContacts(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { newsletterId }: { readonly newsletterId: string },
): Promise<z.infer<typeof ContactNumbers>> {
  const to = new Date(ctx.clock.nowMs())
  const from = new Date(to.getTime() - (daysShown - 1) * dayMs)
  from.setUTCHours(0, 0, 0, 0)
  const days = await countContactsByDay(ctx.pg, { newsletterId, from, to })
  const byStatus = { pending: 0, subscribed: 0, unsubscribed: 0, bounced: 0, complained: 0 }
  for (const { status, count } of await countContactsByStatus(ctx.pg, newsletterId)) {
    byStatus[status] = count
  }
  return { byStatus, days }
}
