/**
 * `/api/0/…`: what `sentry-cli releases` calls, so that a deployment moves to Sluice by changing
 * SENTRY_URL and SENTRY_AUTH_TOKEN. The routes are adapters of our own actions. Errors have the
 * form that the client shows: `{"detail": "…"}`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { commitDetailsMax } from '#schemas/rest/release.ts'
import { commitPartsMax, commitsBytesMax } from '#schemas/rest/releases/commit.ts'
import { type Caller, noteTokenUse, requireScope } from '../auth/access-token.ts'
import { admitToken } from '../auth/token-gate.ts'
import type { ApiContext } from '../context.ts'
import { beginErrorReply } from '../http/error-reply.ts'
import { type ApiInstance, callerOf } from '../http/route.ts'
import { listCommits } from '../releases/commits/commit-store.ts'
import { commitItem } from '../releases/commits/commit-view.ts'
import { listDeploys } from '../releases/deploys/list-deploys.ts'
import { changeReleases, createDeploys, showRelease } from './change-releases.ts'
import {
  findCompatReleases,
  findPreviousWithCommits,
  listCompatReleases,
} from './compat-release-store.ts'
import { commitView, deployView, releaseView } from './compat-view.ts'
import { findPathProject } from './find-projects.ts'
import { SentDeploy, SentNewRelease, SentRelease } from './sentry-bodies.ts'

const listedMax = 100
/** RFC 6750 §2.1; RFC 9110: the scheme is case-insensitive, and several spaces may follow it. */
const bearerPattern = /^bearer +(\S+)\s*$/i

const OrganizationPath = z.object({ organization: z.string() })
const ReleasePath = OrganizationPath.extend({ version: z.string() })
const releases = '/organizations/:organization/releases'
const read = { config: { scope: 'issues:read' } } as const
const write = {
  config: { scope: 'issues:write', bodyPartsMax: commitPartsMax },
  bodyLimit: commitsBytesMax,
} as const

export async function registerSentryCompat(app: ApiInstance, ctx: ApiContext): Promise<void> {
  app.decorateRequest('caller')
  app.setErrorHandler(replyWithDetail)
  app.addHook('onRequest', async (request, reply) => {
    const { authorization = '' } = request.headers
    if (authorization.trim() === '') {
      throw new CodedError('missing_credentials', {
        message: 'Send an access token: SENTRY_AUTH_TOKEN=oat_….',
      })
    }
    // Text that is no Bearer token is a wrong token, which is counted as a guess.
    const value = bearerPattern.exec(authorization)?.[1] ?? '-'
    await admitToken(request, reply, { value, ctx })
  })
  app.addHook('preValidation', async (request) => {
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(callerOf(request), scope)
  })
  app.addHook('onResponse', async (request) => {
    const caller = request.getDecorator<Caller | undefined>('caller')
    if (caller) await noteTokenUse(caller, ctx)
  })
  registerReads(app, ctx)
  registerWrites(app, ctx)
  registerRefusals(app)
}

function registerReads(app: ApiInstance, ctx: ApiContext): void {
  const releasePath = { schema: { hide: true, params: ReleasePath } }
  app.get('/', { schema: { hide: true } }, async (request) => ({
    version: '0',
    auth: { scopes: callerOf(request).scopes },
    user: null,
  }))
  // Without repositories of the server, the client sends the commits of its own one.
  app.get(
    '/organizations/:organization/repos/',
    { ...read, schema: { hide: true } },
    async (_request, reply) => reply.send([]),
  )
  app.get(`${releases}/:version/`, { ...read, ...releasePath }, (request) =>
    showRelease(ctx, targetOf(request)),
  )
  app.get(`${releases}/:version/commits/`, { ...read, ...releasePath }, async (request, reply) => {
    const { project, version } = await firstOf(ctx, request)
    const key = { projectId: project.dsnId, version }
    const rows = await listCommits(ctx.pg, { ...key, limit: commitDetailsMax })
    return reply.send(rows.map(commitItem).map(commitView))
  })
  app.get(`${releases}/:version/deploys/`, { ...read, ...releasePath }, async (request, reply) => {
    const { items } = await listDeploys(ctx, await firstOf(ctx, request))
    return reply.send(items.map(deployView))
  })
  app.get(
    `${releases}/:version/previous-with-commits/`,
    { ...read, ...releasePath },
    async (request) => {
      const { project, version, createdAt } = await firstOf(ctx, request)
      const search = { projectId: project.dsnId, version, before: createdAt }
      const previous = await findPreviousWithCommits(ctx.pg, search)
      return previous === undefined ? {} : releaseView([previous])
    },
  )
  app.get(
    '/projects/:organization/:project/releases/',
    { ...read, schema: { hide: true, params: OrganizationPath.extend({ project: z.string() }) } },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { project: name } = request.params
      const project = await findPathProject(ctx.pg, { organizationId, name })
      const list = { projectId: project.dsnId, limit: listedMax }
      const rows = await listCompatReleases(ctx.pg, list)
      return reply.send(rows.map((row) => releaseView([row])))
    },
  )
}

function registerWrites(app: ApiInstance, ctx: ApiContext): void {
  app.post(
    `${releases}/`,
    { ...write, schema: { hide: true, params: OrganizationPath, body: SentNewRelease } },
    async (request, reply) => {
      const target = { caller: callerOf(request), version: request.body.version }
      return reply.code(201).send(await changeReleases(ctx, target, request.body))
    },
  )
  app.put(
    `${releases}/:version/`,
    { ...write, schema: { hide: true, params: ReleasePath, body: SentRelease } },
    (request) => changeReleases(ctx, targetOf(request), request.body),
  )
  app.post(
    `${releases}/:version/deploys/`,
    { ...write, schema: { hide: true, params: ReleasePath, body: SentDeploy } },
    async (request, reply) =>
      reply.code(201).send(await createDeploys(ctx, targetOf(request), request.body)),
  )
}

/** What the client may call and Sluice does not do, with the way out. */
function registerRefusals(app: ApiInstance): void {
  app.delete(`${releases}/:version/`, { schema: { hide: true } }, () => {
    throw new CodedError('method_not_allowed', {
      message: 'Releases are not deleted by hand. They expire after a year without events.',
    })
  })
  app.all('/*', { schema: { hide: true } }, (request) => {
    const isUpload = /upload|\/files\/|bundle|debug/.test(request.url)
    throw new CodedError('not_found', {
      message: isUpload
        ? 'Sluice takes no source maps and no debug files. Only the commands releases and deploys work.'
        : 'Sluice has no such route. Of the API of Sentry it serves releases, commits and deploys.',
    })
  })
}

function targetOf(request: FastifyRequest & { params: { version: string } }) {
  const { version } = request.params
  // Postgres stores no NUL in a text, so no release has one.
  if (version.includes('\0')) throw new CodedError('not_found')
  return { caller: callerOf(request), version }
}

/** The release in the first project that has it. Throws `not_found`. */
async function firstOf(ctx: ApiContext, request: FastifyRequest & { params: { version: string } }) {
  const { caller, version } = targetOf(request)
  const { organizationId } = caller
  const [first] = await findCompatReleases(ctx.pg, { organizationId, version })
  if (first === undefined) throw new CodedError('not_found')
  return { project: { dsnId: first.project_id }, version, createdAt: first.created_at }
}

function replyWithDetail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const coded = beginErrorReply(error, request, reply)
  reply
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send({ detail: coded.message })
}
