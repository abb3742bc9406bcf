/** Votes and suggestions of visitors (portal-feedback-api: A), behind the portal's gate. */
import { IdeaQuery, Suggestion, SuggestionReply } from '#schemas/rest/portal/idea.ts'
import { UnvoteReply, VoteBody, VoteReply } from '#schemas/rest/portal/vote.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { userClaimOf } from '../portal/gate/enduser.ts'
import { IdeaPath, PortalPath } from './idea-read-routes.ts'
import { suggestIdea } from './suggest-idea.ts'
import { voteForIdea } from './votes/vote-for-idea.ts'
import { withdrawVote } from './votes/withdraw-vote.ts'

const errors = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

export function registerIdeaWrites(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/vote',
    config: { limit: 'vote' },
    schema: {
      tags: ['votes'],
      operationId: 'votePortalIdea',
      summary: 'Vote for an idea',
      description:
        'Idempotent. A vote for a duplicate counts for its original. A user who gives an email address is notified of a new status and of a response.',
      params: IdeaPath,
      body: VoteBody,
      response: { 200: VoteReply, ...errors },
    },
    handler: async (request) => {
      const { idea_id: ideaId } = request.params
      return { result: await voteForIdea(ctx, userClaimOf(request, request.body), { ideaId }) }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id/vote',
    config: { limit: 'vote' },
    schema: {
      tags: ['votes'],
      operationId: 'unvotePortalIdea',
      summary: 'Withdraw a vote',
      description: 'Idempotent.',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: UnvoteReply, ...errors },
    },
    handler: async (request) => {
      const { idea_id: ideaId } = request.params
      return { result: await withdrawVote(ctx, userClaimOf(request, request.query), { ideaId }) }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/suggest',
    config: { limit: 'suggest' },
    schema: {
      tags: ['ideas'],
      operationId: 'suggestPortalIdea',
      summary: 'Suggest an idea',
      description:
        'The same title from the same user within ten minutes returns the same idea. If the portal is moderated, the reply is the same, and only the author sees the idea until it is approved. The author does not vote by suggesting.',
      params: PortalPath,
      body: Suggestion,
      response: { 201: SuggestionReply, ...errors },
    },
    handler: async (request, reply) => {
      const { title, description, ...fields } = request.body
      const address = clientAddress(request)
      const claim = userClaimOf(request, fields)
      const idea_id = await suggestIdea(ctx, claim, { title, description, address })
      return reply.code(201).send({ idea_id })
    },
  })
}
