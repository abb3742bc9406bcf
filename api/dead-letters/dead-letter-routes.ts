/** `/api/v1/operation/dead-letters`, for the operator of the installation. */
import { z } from 'zod'
import {
  DeadLetterDetail,
  DeadLetterList,
  DeadLetterQuery,
  DeadLetterSelection,
  DeletedDeadLetters,
  RetriedDeadLetters,
} from '#schemas/rest/operation/operation-changes.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { Actor } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies } from '../http/route.ts'
import type { ActorOf } from './audit-dead-letters.ts'
import { deleteDeadLetters } from './delete-dead-letters.ts'
import { filterOf } from './filter-dead-letters.ts'
import { getDeadLetter } from './get-dead-letter.ts'
import { listDeadLetterPage } from './list-dead-letters.ts'
import { retryDeadLetters } from './retry-dead-letters.ts'

const tags = ['operation']
const DeadLetterPath = z.object({ dead_letter_id: z.string() })

export function registerDeadLetters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/dead-letters',
    config: { role: 'owner' },
    schema: {
      operationId: 'listDeadLetters',
      tags,
      summary: 'List dead letters',
      description: 'Records that could not be processed, newest first, without their payload.',
      querystring: DeadLetterQuery,
      response: replies(DeadLetterList),
    },
    handler: (request) => listDeadLetterPage(ctx, request.query),
  })

  app.route({
    method: 'GET',
    url: '/dead-letters/:dead_letter_id',
    config: { role: 'owner' },
    schema: {
      operationId: 'getDeadLetter',
      tags,
      summary: 'Get a dead letter',
      description:
        'With the begin of its payload: 65,536 characters of JSON, or 4,096 bytes of anything else as hex digits.',
      params: DeadLetterPath,
      response: replies(DeadLetterDetail),
    },
    handler: (request) => getDeadLetter(ctx, request.params.dead_letter_id),
  })

  app.route({
    method: 'POST',
    url: '/dead-letters/retry',
    config: { role: 'owner' },
    schema: {
      operationId: 'retryDeadLetters',
      tags,
      summary: 'Retry dead letters',
      description: 'The workers process them again. At most 10,000 at a time.',
      body: DeadLetterSelection,
      response: { ...replies(RetriedDeadLetters), 409: Problem },
    },
    handler: async (request) =>
      retryDeadLetters(ctx, actorsOf(actorOf(request)), await filterOf(ctx.pg, request.body)),
  })

  app.route({
    method: 'POST',
    url: '/dead-letters/delete',
    config: { role: 'owner' },
    schema: {
      operationId: 'deleteDeadLetters',
      tags,
      summary: 'Delete dead letters permanently',
      description: 'At most 10,000 at a time. Those that are being retried are left.',
      body: DeadLetterSelection,
      response: { ...replies(DeletedDeadLetters), 409: Problem },
    },
    handler: async (request) => {
      const filter = await filterOf(ctx.pg, request.body)
      const { dropped, ...rest } = await deleteDeadLetters(ctx, actorsOf(actorOf(request)), filter)
      return { deleted: dropped, ...rest }
    },
  })
}

/** The log of another organization names the operator, who is not a member. */
function actorsOf(actor: Actor): ActorOf {
  return async (organizationId) =>
    organizationId === null || organizationId === actor.organizationId
      ? actor
      : { ...actor, organizationId, personId: null, ip: null }
}
