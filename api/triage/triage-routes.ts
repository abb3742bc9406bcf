import { TriagePage, TriageQuery, TriageStats } from '#schemas/rest/triage.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { listTriage } from './list-triage.ts'
import { reportTriage } from './report-triage.ts'

const tags = ['issues']

export function registerTriage(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/triage',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listTriage',
      tags,
      summary: 'List the triage queue',
      description:
        'Issues that are new, regressed, escalating or no longer ignored, and failing monitors, oldest first. An entry leaves when somebody resolves, ignores, assigns, merges, reviews or snoozes the issue, or mutes or snoozes the monitor. A monitor and the issue of its failure are one entry.',
      params: ProjectPath,
      querystring: TriageQuery,
      response: replies(TriagePage),
    },
    handler: (request) => listTriage(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/triage/stats',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getTriageStats',
      tags,
      summary: 'Get statistics of the triage queue',
      description:
        'How many entries it has by reason, how old they are, and how many came and went.',
      params: ProjectPath,
      response: replies(TriageStats),
    },
    handler: (request) => reportTriage(projectOf(request), ctx),
  })
}
