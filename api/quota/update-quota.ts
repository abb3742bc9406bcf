import type { Quota, QuotaChange } from '#schemas/rest/quota.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { changeQuota } from './quota-store.ts'
import { reportQuota } from './report-quota.ts'

export interface UpdateQuota {
  readonly project: StoredProject
  readonly change: QuotaChange
}

/** Sets the limits that are given; null removes a limit. Returns the quota with its use. */
export async function updateQuota(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>,
  actor: Actor,
  { project, change }: UpdateQuota,
): Promise<Quota> {
  await ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'quota.changed',
      subjectType: 'project',
      subjectId: project.id,
      details: change,
    })
    await changeQuota(client, project.dsnId, change)
  })
  return reportQuota(project, ctx.clock.nowMs(), ctx)
}
