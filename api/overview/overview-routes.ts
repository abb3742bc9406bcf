import { overviewCountMax, ProjectOverview } from '#schemas/rest/overview.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { reportOverview } from './report-overview.ts'

export function registerOverview(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/overview',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getProjectOverview',
      tags: ['projects'],
      summary: 'Get what is to do in a project',
      description: `One request for the frame of the dashboard. Counts end at ${overviewCountMax}.`,
      params: ProjectPath,
      response: replies(ProjectOverview),
    },
    handler: (request) => reportOverview(projectOf(request), ctx),
  })
}
