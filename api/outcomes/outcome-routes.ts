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
      tags: ['outcomes'],
      summary: 'What became of everything that was sent',
      description:
        'Every item received ends in exactly one outcome. `totals` sums the same groups over the whole time; `arrivals` sets what clients dropped themselves beside what was accepted.',
      params: ProjectPath,
      querystring: OutcomeQuery,
      response: replies(OutcomeReport),
    },
    handler: (request) => reportOutcomes(projectOf(request), request.query, ctx),
  })
}
