/** `issues/{id}.md` and `events/{id}.md`: briefs as Markdown, for assistants and people. */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { normalizeEventId } from '#schemas/ids.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { sendAfterIssue } from '../issues/merged-issue.ts'
import { briefEvent } from './brief-event.ts'
import { briefCharactersMax, briefIssue } from './brief-issue.ts'

const markdown = {
  description: 'Markdown.',
  content: { 'text/markdown': { schema: z.string() } },
}
const bounds = `At most ${briefCharactersMax} characters. Text of events is in fenced blocks marked \`untrusted\`.`

export function registerBriefs(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/issues/:issue_id.md',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getIssueBrief',
      tags: ['issues'],
      summary: 'Get an issue as Markdown',
      description: `A brief for assistants: the newest event with its exceptions, in-app frames and breadcrumbs, and the activity and similar issues. ${bounds} The id of a merged issue redirects (307).`,
      params: ProjectPath.extend({ issue_id: z.string() }),
      response: { ...replies(z.unknown()), 200: markdown, 307: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const id = requireUuid(request.params.issue_id)
      const issue = await briefIssue(ctx, project, id)
      if (issue === undefined) {
        return sendAfterIssue(request, reply, ctx, { projectId: project.dsnId, id })
      }
      return sendMarkdown(reply, issue.brief)
    },
  })

  app.route({
    method: 'GET',
    url: '/events/:event_id.md',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getEventBrief',
      tags: ['events'],
      summary: 'Get an event as Markdown',
      description: `A brief for assistants. ${bounds}`,
      params: ProjectPath.extend({ event_id: z.string().describe('32 hex digits.') }),
      response: { ...replies(z.unknown()), 200: markdown },
    },
    handler: async (request, reply) => {
      const eventId = found(normalizeEventId(request.params.event_id))
      const event = found(await briefEvent(ctx, projectOf(request), eventId))
      return sendMarkdown(reply, event.brief)
    },
  })
}

/** The cast satisfies the return type of the handler: the reply is sent here. */
function sendMarkdown(reply: FastifyReply, text: string): never {
  return reply.type('text/markdown; charset=utf-8').send(text) as never
}
