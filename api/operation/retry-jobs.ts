import type { JobSelection } from '#schemas/rest/operation/operation-changes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { rescheduleJobs } from './stores/job-store.ts'

/** Jobs that one request changes. */
const retriedJobsMax = 1_000
/** Ids that an audit entry lists. */
const auditedIdsMax = 100

/** Lets failed jobs run again, with all their attempts. */
export async function retryJobs(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  selection: JobSelection,
): Promise<{ readonly requested: number; readonly left: number }> {
  return ctx.pg.transaction(async (client) => {
    const { ids, left } = await rescheduleJobs(client, selection, retriedJobsMax)
    if (ids.length > 0) {
      await addAudit(client, actor, {
        action: 'job.retried',
        subjectType: 'job',
        details: { count: ids.length, ids: ids.slice(0, auditedIdsMax), task: selection.task },
      })
    }
    return { requested: ids.length, left }
  })
}
