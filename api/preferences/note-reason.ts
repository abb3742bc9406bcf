import { addContactEvent, findContact } from '../contacts/contact-store.ts'
import type { ApiContext } from '../context.ts'
import { takeHits } from '../rate-limits/rate-window-store.ts'
import type { Visitor } from './visitor.ts'

export const reasonCharactersMax = 1_000
const reasonsPerDayMax = 5
const dayMs = 24 * 3_600_000

/** Stores why a contact unsubscribed. A blank reason, or one over the daily limit, is ignored. */
export async function noteReason(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  visitor: Visitor,
  { contactId, reason: typed }: { readonly contactId: string; readonly reason: string },
): Promise<void> {
  const reason = typed.replaceAll('\0', '').trim().slice(0, reasonCharactersMax).toWellFormed()
  if (reason === '') return
  const now = new Date(ctx.clock.nowMs())
  await ctx.pg.transaction(async (pg) => {
    if ((await findContact(pg, contactId)) === undefined) return
    const bucket = `unsubscribe-reason:${contactId}`
    const window = { bucket, hitsMax: reasonsPerDayMax, windowMs: dayMs }
    if ((await takeHits(pg, [window], now)).kind === 'full') return
    await addContactEvent(pg, {
      contactId,
      kind: 'unsubscribe_reason',
      via: 'unsubscribe_page',
      ...visitor,
      details: { reason },
      now,
    })
  })
}
