import { KiB } from '#schemas/limits.ts'
import {
  OwnershipBody,
  OwnershipMatch,
  OwnershipRules,
  OwnershipTrial,
} from '#schemas/rest/ownership.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { describeOwnership } from './describe-ownership.ts'
import { matchOwnership } from './match-ownership.ts'
import { readOwnership } from './ownership-store.ts'
import { updateOwnership } from './update-ownership.ts'

const tags = ['ownership']
/** Each character of the rules may take six bytes as JSON. */
const bodyBytesMax = 512 * KiB

export function registerOwnership(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ownership',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getOwnership',
      tags,
      summary: 'Get the ownership rules of a project',
      description: 'Who gets a new issue: rules from the path, module, URL or tag of its event.',
      params: ProjectPath,
      response: replies(OwnershipRules),
    },
    handler: async (request) => {
      const { dsnId } = projectOf(request)
      return describeOwnership(ctx, dsnId, await readOwnership(ctx.pg, dsnId))
    },
  })

  app.route({
    method: 'PUT',
    url: '/ownership',
    bodyLimit: bodyBytesMax,
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'updateOwnership',
      tags,
      summary: 'Replace the ownership rules of a project',
      description:
        'They apply to issues that are new from now on. An invalid line is refused with its number, unless `skip_invalid` is true.',
      params: ProjectPath,
      body: OwnershipBody,
      response: replies(OwnershipRules),
    },
    handler: (request) =>
      updateOwnership(ctx, actorOf(request), { project: projectOf(request), body: request.body }),
  })

  app.route({
    method: 'POST',
    url: '/ownership/match',
    bodyLimit: bodyBytesMax,
    config: { scope: 'issues:read', role: 'viewer' },
    schema: {
      operationId: 'matchOwnership',
      tags,
      summary: 'Try the ownership rules of a project',
      description:
        'The rule that decides about such an event, and who would get a new issue of it.',
      params: ProjectPath,
      body: OwnershipTrial,
      response: replies(OwnershipMatch),
    },
    handler: (request) => matchOwnership(ctx.pg, projectOf(request).dsnId, request.body),
  })
}
