import { Quota, QuotaChange } from '#schemas/rest/quota.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { changeQuota } from './quota-store.ts'
import { reportQuota } from './report-quota.ts'

export function registerQuota(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/quota',
    config: { scope: 'issues:read' },
    schema: {
      tags: ['quota'],
      summary: 'What the project may send in this month, and what it has sent',
      params: ProjectPath,
      response: replies(Quota),
    },
    handler: (request) => reportQuota(projectOf(request), ctx.clock.nowMs(), ctx),
  })

  app.route({
    method: 'PUT',
    url: '/quota',
    config: { scope: 'settings:write' },
    schema: {
      tags: ['quota'],
      summary: 'Set limits; they act within five seconds',
      description: 'What is left out stays as it is; null takes a limit away.',
      params: ProjectPath,
      body: QuotaChange,
      response: replies(Quota),
    },
    handler: async (request) => {
      const project = projectOf(request)
      await ctx.pg.transaction(async (client) => {
        await addAudit(client, actorOf(request), {
          action: 'quota.changed',
          subjectType: 'project',
          subjectId: project.id,
          details: request.body,
        })
        await changeQuota(client, project.dsnId, request.body)
      })
      return reportQuota(project, ctx.clock.nowMs(), ctx)
    },
  })
}
