/**
 * `GET /api/v1/live`: an event stream that tells a page of the dashboard what to load again. It
 * carries topics and ids only, never data, so that every page is read through its own route with
 * its own checks. Not part of the OpenAPI document, whose operations have an end; docs/dashboard/
 * has it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type LiveTopic, liveTopics } from '#schemas/rest/live.ts'
import { apiKeyHeaderOf, type Caller, noteTokenUse, requireScope } from '../auth/access-token.ts'
import { admitPerson, loginOf, noteLoginUse, personOf } from '../auth/people-gate.ts'
import { personCaller } from '../auth/person-caller.ts'
import { admitToken } from '../auth/token-gate.ts'
import type { ApiContext } from '../context.ts'
import { periodicTasksOf } from '../http/periodic-tasks.ts'
import { type ApiInstance, callerOf } from '../http/route.ts'
import { readLoginCookie } from '../logins/login-cookie.ts'
import { requireProject } from '../projects/require-project.ts'
import type { Holder, LiveHub } from './live-hub.ts'

const pollMs = 1_000
const keepAliveMs = 15_000
const cursorCharactersMax = 40

/** Topics that need another scope than `issues:read`. */
const feedbackTopics: readonly LiveTopic[] = ['feedback', 'ideas', 'moderation']
/** Topics of the organization, for people: no access token reads campaigns. */
const organizationTopics: readonly LiveTopic[] = ['campaigns', 'imports']

const LiveQuery = z.object({
  project_id: z.string().max(36).optional(),
  last_event_id: z.string().max(cursorCharactersMax).optional().catch(undefined),
})

export function liveHubOf(app: ApiInstance): LiveHub {
  return app.getDecorator<LiveHub>('liveHub')
}

export function registerLive(app: ApiInstance, ctx: ApiContext): void {
  const hub = liveHubOf(app)
  periodicTasksOf(app).start({
    name: 'live_updates',
    intervalMs: pollMs,
    run: () => hub.poll(),
    failure: { code: 'live_updates_failed', text: 'Reading changes for live updates failed' },
  })
  periodicTasksOf(app).start({
    name: 'live_keep_alive',
    intervalMs: keepAliveMs,
    run: () => hub.keepAlive(),
    failure: { code: 'live_keep_alive_failed', text: 'Keeping live connections alive failed' },
  })
  // Before the server waits for its connections.
  app.addHook('preClose', async () => hub.close())

  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    if (!request.headers['x-api-key'] && readLoginCookie(request) !== undefined) {
      await admitPerson(request, reply, ctx)
      request.setDecorator<Caller>('caller', personCaller(personOf(request)))
    } else await admitToken(request, reply, { value: apiKeyHeaderOf(request), ctx })
    requireScope(callerOf(request), 'issues:read')
  })

  app.get(
    '/live',
    {
      schema: { hide: true, querystring: LiveQuery },
      config: { isStream: true },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { project_id: projectId, last_event_id: lastEventId } = request.query
      const caller = callerOf(request)
      const stream = await hub.open({
        holder: holderOf(request),
        organizationId: caller.organizationId,
        project:
          projectId === undefined ? undefined : await requireProject(request, projectId, ctx),
        topics: topicsOf(caller, projectId !== undefined),
        lastCursor: lastEventId ?? cursorIn(request),
      })
      reply.raw.once('close', () => stream.destroy())
      await noteTokenUse(caller, ctx)
      await noteLoginUse(request, ctx)
      return send(reply, stream)
    },
  )
}

function send(reply: FastifyReply, stream: NodeJS.ReadableStream): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Reverse proxies that would collect the reply.
      'x-accel-buffering': 'no',
    })
    .send(stream)
}

function cursorIn({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  return typeof given === 'string' ? given.slice(0, cursorCharactersMax) : undefined
}

function holderOf(request: FastifyRequest): Holder {
  const caller = callerOf(request)
  if (caller.type === 'token') return { type: 'token', id: caller.id }
  const { loginId: id, role } = loginOf(request)
  return { type: 'login', id, role }
}

function topicsOf({ type, scopes }: Caller, hasProject: boolean): ReadonlySet<LiveTopic> {
  return new Set(
    liveTopics.filter((topic) => {
      if (organizationTopics.includes(topic)) return type === 'person'
      return hasProject && (!feedbackTopics.includes(topic) || scopes.includes('feedback:read'))
    }),
  )
}
