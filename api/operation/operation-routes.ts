/** `/api/v1/operation`: the installation as its operator sees it. */
import { Operation } from '#schemas/rest/operation/operation.ts'
import {
  JobList,
  JobQuery,
  JobSelection,
  RetriedJobs,
} from '#schemas/rest/operation/operation-changes.ts'
import { actorOf, forPeople, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { registerDeadLetters } from '../dead-letters/dead-letter-routes.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import { listJobPage } from './list-jobs.ts'
import { OperationWatch } from './operation-watch.ts'
import { requireOperator } from './require-operator.ts'
import { retryJobs } from './retry-jobs.ts'

const tags = ['operation']

export async function registerOperation(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  // Before validation, so that others learn nothing about the body.
  app.addHook('preValidation', (request) => requireOperator(ctx.pg, personOf(request)))
  const watch = new OperationWatch(ctx, ctx.operationTargets ?? (async () => []))

  app.route({
    method: 'GET',
    url: '',
    config: { role: 'owner' },
    schema: {
      operationId: 'getOperation',
      tags,
      summary: 'Get the state of all processes and stores',
      description:
        'For owners of the first organization of the installation. The figures of `npm run top`, with those of the stores. Rates are differences between two snapshots and null in the first. What does not answer within a second is shown as such.',
      response: replies(Operation),
    },
    handler: () => watch.read(),
  })

  app.route({
    method: 'GET',
    url: '/jobs',
    config: { role: 'owner' },
    schema: {
      operationId: 'listJobs',
      tags,
      summary: 'List jobs that failed',
      description: 'Newest first, without their payload.',
      querystring: JobQuery,
      response: replies(JobList),
    },
    handler: (request) => listJobPage(ctx, request.query),
  })

  app.route({
    method: 'POST',
    url: '/jobs/retry',
    config: { role: 'owner' },
    schema: {
      operationId: 'retryJobs',
      tags,
      summary: 'Retry jobs that failed',
      description:
        'Gives them all their attempts again. Jobs named by `ids` may also be waiting for another attempt. A running job is left alone.',
      body: JobSelection,
      response: replies(RetriedJobs),
    },
    handler: (request) => retryJobs(ctx, actorOf(request), request.body),
  })

  registerDeadLetters(app, ctx)
}
