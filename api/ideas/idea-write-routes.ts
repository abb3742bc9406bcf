/** Voting and suggesting (portal-feedback-api: A). Who writes is settled first, in the transaction of what they write. */

import { CodedError } from '#schemas/error-codes.ts'
import { IdeaQuery, Suggestion, SuggestionReply } from '#schemas/rest/portal/idea.ts'
import { UnvoteReply, VoteBody, VoteReply } from '#schemas/rest/portal/vote.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import { type ApiInstance, requireUuid } from '../http/route.ts'
import { writerOf } from '../portal/gate/enduser.ts'
import { portalOf } from '../portal/gate/portal-gate.ts'
import { IdeaPath, PortalPath } from './idea-read-routes.ts'
import { suggestIdea } from './suggest-idea.ts'
import { addVote, removeVote, votingTransaction } from './votes/vote-store.ts'

const tags = ['ideas portal']
const errors = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

export function registerIdeaWrites(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/vote',
    config: { limit: 'vote' },
    schema: {
      tags,
      summary: 'Vote for an idea',
      description:
        'Twice is once. A vote for a duplicate counts for the idea that it duplicates. With an address the user hears of answers.',
      params: IdeaPath,
      body: VoteBody,
      response: { 200: VoteReply, ...errors },
    },
    handler: async (request) => {
      const { projectId } = portalOf(request)
      const result = await votingTransaction(ctx.pg, async (pg) => {
        const voter = await writerOf(pg, request, ctx, request.body)
        const ideaId = requireUuid(request.params.idea_id)
        const email = voter.emailOfThis
        return there(await addVote(pg, { projectId, ideaId, enduserId: voter.id, email }))
      })
      return { result }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id/vote',
    config: { limit: 'vote' },
    schema: {
      tags,
      summary: 'Take a vote back',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: UnvoteReply, ...errors },
    },
    handler: async (request) => {
      const { projectId } = portalOf(request)
      const result = await votingTransaction(ctx.pg, async (pg) => {
        const voter = await writerOf(pg, request, ctx, request.query)
        const ideaId = requireUuid(request.params.idea_id)
        return there(await removeVote(pg, { projectId, ideaId, enduserId: voter.id }))
      })
      return { result }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/suggest',
    config: { limit: 'suggest' },
    schema: {
      tags,
      summary: 'Suggest a new idea',
      description:
        'The same title by the same user within ten minutes is the same idea. Where a moderator looks first the reply is the same, and only its author sees the idea. Suggesting is not voting.',
      params: PortalPath,
      body: Suggestion,
      response: { 201: SuggestionReply, ...errors },
    },
    handler: async (request, reply) => {
      const portal = portalOf(request)
      const { title, description, ...who } = request.body
      const idea_id = await ctx.pg.transaction(async (pg) => {
        const author = await writerOf(pg, request, ctx, who)
        const now = new Date(ctx.clock.nowMs())
        const address = clientAddress(request)
        return suggestIdea(pg, { portal, author, address, title, description, now })
      })
      return reply.code(201).send({ idea_id })
    },
  })
}

/** A refusal must undo what the transaction has learnt of the user. */
function there<Result extends string>(result: Result | 'not_found'): Result {
  if (result === 'not_found') throw new CodedError('not_found')
  return result as Result
}
