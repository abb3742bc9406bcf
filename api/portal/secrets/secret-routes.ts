/** Secrets with which a project's own site signs the tokens of its users, for the team. */
import { z } from 'zod'
import {
  EndUserSecret,
  EndUserSecretList,
  NewEndUserSecret,
  TokenToTry,
  TriedToken,
} from '#schemas/rest/portal/portal-settings.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies, requireUuid } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../admin-portal.ts'
import { portalDirectoryOf } from '../gate/portal-directory.ts'
import { createSecret } from './create-secret.ts'
import { listSecrets, secretView } from './enduser-secret-store.ts'
import { retireSecret } from './retire-secret.ts'
import { tryToken } from './try-token.ts'

const tags = ['portal secrets']

export function registerEndUserSecrets(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(EndUserSecret)

  app.route({
    method: 'GET',
    url: '/secrets',
    schema: {
      tags,
      operationId: 'listPortalSecrets',
      summary: 'List the secrets of a portal',
      description:
        'Live secrets first, then retired ones; newest first. The secrets themselves are never returned.',
      params: PortalAdminPath,
      response: replies(EndUserSecretList),
    },
    handler: async (request) => {
      const rows = await listSecrets(ctx.pg, adminPortalOf(request).projectId)
      return { items: rows.map(secretView) }
    },
  })

  app.route({
    method: 'POST',
    url: '/secrets',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'createPortalSecret',
      summary: 'Create a portal secret',
      description:
        'Only this reply contains the secret. A portal has at most two live secrets. To rotate: create a new one, sign tokens with it, then retire the old one. Both are valid in between.',
      params: PortalAdminPath,
      response: { 201: NewEndUserSecret, ...refusals, 409: Problem },
    },
    handler: async (request, reply) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const { row, secret } = await createSecret(ctx, actorOf(request), { projectId })
      portalDirectoryOf(app).evict(projectKey)
      return reply.code(201).send({ ...secretView(row), secret })
    },
  })

  app.route({
    method: 'POST',
    url: '/secrets/:secret_id/retire',
    config: { role: 'owner' },
    schema: {
      tags,
      operationId: 'retirePortalSecret',
      summary: 'Retire a portal secret',
      description:
        'Tokens that it signed are not valid any more. The last live secret cannot be retired while end-user auth is on.',
      params: PortalAdminPath.extend({ secret_id: z.string() }),
      response: { ...replies(EndUserSecret), 409: Problem },
    },
    handler: async (request) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const id = requireUuid(request.params.secret_id)
      const row = await retireSecret(ctx, actorOf(request), { projectId, id })
      portalDirectoryOf(app).evict(projectKey)
      return secretView(row)
    },
  })

  app.route({
    method: 'POST',
    url: '/secrets/try',
    schema: {
      tags,
      operationId: 'tryPortalToken',
      summary: 'Check a token of a portal user',
      description:
        'Returns the user that the token names, or the reason why it is invalid. Nothing is stored.',
      params: PortalAdminPath,
      body: TokenToTry,
      response: replies(TriedToken),
    },
    handler: (request) => tryToken(ctx, adminPortalOf(request), request.body.token),
  })
}
