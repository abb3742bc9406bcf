import { OutcomeQuery, OutcomeReport } from '#schemas/rest/outcome-report.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { reportOutcomes } from './report-outcomes.ts'

export function registerOutcomes(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/outcomes',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getOutcomes',
      tags: ['outcomes'],
      summary: 'Get the outcomes of received items',
      description:
        'Every received item ends in exactly one outcome. `totals` sums the groups over the whole time range; `arrivals` compares what clients dropped themselves with what was accepted.',
      params: ProjectPath,
      querystring: OutcomeQuery,
      response: replies(OutcomeReport),
    },
    handler: (request) => reportOutcomes(projectOf(request), request.query, ctx),
  })
}
