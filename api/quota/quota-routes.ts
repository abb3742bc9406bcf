import { Quota, QuotaChange } from '#schemas/rest/quota.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { reportQuota } from './report-quota.ts'
import { updateQuota } from './update-quota.ts'

const tags = ['quota']

export function registerQuota(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/quota',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getQuota',
      tags,
      summary: 'Get the quota of a project and its use',
      description:
        'The limits of the project, and the events charged in this calendar month (UTC), by DSN key and by issue.',
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
      operationId: 'updateQuota',
      tags,
      summary: 'Update the quota of a project',
      description:
        'A field that is left out keeps its value; null removes a limit. Limits take effect within five seconds.',
      params: ProjectPath,
      body: QuotaChange,
      response: replies(Quota),
    },
    handler: (request) =>
      updateQuota(ctx, actorOf(request), { project: projectOf(request), change: request.body }),
  })
}
