import type { AlertStopLink } from '#schemas/alert-stop-token.ts'
import type { ApiContext } from '../../context.ts'
import { addStop, findStopSubject, removeStop, type StopSubject } from './stop-store.ts'

/**
 * Stops the alert emails of a rule, or about an issue, for one person. Undefined if there are none
 * to stop. A second time changes nothing.
 */
export function stopAlerts(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  link: AlertStopLink,
): Promise<StopSubject | undefined> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const subject = await findStopSubject(pg, link)
    if (subject !== undefined) await addStop(pg, { ...link, now })
    return subject
  })
}

/** Undoes `stopAlerts`. */
export function resumeAlerts(
  ctx: Pick<ApiContext, 'pg'>,
  link: AlertStopLink,
): Promise<StopSubject | undefined> {
  return ctx.pg.transaction(async (pg) => {
    const subject = await findStopSubject(pg, link)
    if (subject !== undefined) await removeStop(pg, link)
    return subject
  })
}
