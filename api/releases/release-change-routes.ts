/** Routes by which builds and deployments say what they release. */
import { z } from 'zod'
import { Deploy, DeployList, NewDeploy } from '#schemas/rest/releases/deploy.ts'
import { NewRelease, ReleaseChange, ReleaseRecord } from '#schemas/rest/releases/release-changes.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { createRelease } from './create-release.ts'
import { createDeploy } from './deploys/create-deploy.ts'
import { listDeploys } from './deploys/list-deploys.ts'
import { updateRelease } from './update-release.ts'

const tags = ['releases']
const ReleasePath = ProjectPath.extend({
  release: z.string().describe('The version, URL-encoded.'),
})

export function registerReleaseChanges(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/releases',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'createRelease',
      tags,
      summary: 'Create a release before its first event',
      description: 'A release that is known already gets the given fields, and the reply is 200.',
      params: ProjectPath,
      body: NewRelease,
      response: { ...replies(ReleaseRecord), 201: ReleaseRecord },
    },
    handler: async (request, reply) => {
      const input = { project: projectOf(request), release: request.body }
      const { isNew, ...record } = await createRelease(ctx, input)
      return reply.code(isNew ? 201 : 200).send(record)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/releases/:release',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'updateRelease',
      tags,
      summary: 'Set the URL of a release, and when it was made available',
      params: ReleasePath,
      body: ReleaseChange,
      response: replies(ReleaseRecord),
    },
    handler: (request) =>
      updateRelease(ctx, {
        project: projectOf(request),
        version: request.params.release,
        change: request.body,
      }),
  })

  app.route({
    method: 'GET',
    url: '/releases/:release/deploys',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listDeploys',
      tags,
      summary: 'List the deploys of a release',
      params: ReleasePath,
      response: replies(DeployList),
    },
    handler: (request) =>
      listDeploys(ctx, { project: projectOf(request), version: request.params.release }),
  })

  app.route({
    method: 'POST',
    url: '/releases/:release/deploys',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'createDeploy',
      tags,
      summary: 'Say that a release was put into an environment',
      description: 'The release may have no events yet.',
      params: ReleasePath,
      body: NewDeploy,
      response: { ...replies(z.unknown()), 201: Deploy },
    },
    handler: async (request, reply) => {
      const input = {
        project: projectOf(request),
        version: request.params.release,
        deploy: request.body,
      }
      return reply.code(201).send(await createDeploy(ctx, input))
    },
  })
}
