/** Secrets that a project's own site signs its users' tokens with, and a place to try a token. */
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
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../admin-portal.ts'
import { checkEndUserToken } from '../gate/enduser-token.ts'
import { enduserSecretPurpose, portalDirectoryOf } from '../gate/portal-directory.ts'
import { makeSecret, retireSecretOf } from './change-secrets.ts'
import { listSecrets, type SecretRow } from './enduser-secret-store.ts'

export function registerEndUserSecrets(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(EndUserSecret)

  app.route({
    method: 'GET',
    url: '/secrets',
    schema: {
      tags,
      summary: 'Secrets of end-user auth, the live ones first',
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
      summary: 'Make a secret for end-user auth',
      description:
        'The value is shown this once. To follow an old one: make a new one, let the site sign with it, retire the old one. Both count meanwhile.',
      params: PortalAdminPath,
      response: { 201: NewEndUserSecret, ...refusals, 409: Problem },
    },
    handler: async (request, reply) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const now = new Date(ctx.clock.nowMs())
      const { row, secret } = await makeSecret(ctx, { projectId, now, actor: actorOf(request) })
      portalDirectoryOf(app).forget(projectKey)
      return reply.code(201).send({ ...secretView(row), secret })
    },
  })

  app.route({
    method: 'POST',
    url: '/secrets/:secret_id/retire',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Retire a secret: its tokens count no more',
      description: 'The last live one cannot go while end-user auth is on.',
      params: PortalAdminPath.extend({ secret_id: z.string() }),
      response: { ...replies(EndUserSecret), 409: Problem },
    },
    handler: async (request) => {
      const { projectId, projectKey } = adminPortalOf(request)
      const id = requireUuid(request.params.secret_id)
      const now = new Date(ctx.clock.nowMs())
      const actor = actorOf(request)
      const row = await retireSecretOf(ctx.pg, { projectId, id, now, actor })
      portalDirectoryOf(app).forget(projectKey)
      return secretView(row)
    },
  })

  app.route({
    method: 'POST',
    url: '/secrets/try',
    schema: {
      tags,
      summary: 'Try a token: whom it names, or what exactly is wrong with it',
      params: PortalAdminPath,
      body: TokenToTry,
      response: replies(TriedToken),
    },
    handler: async (request): Promise<TriedToken> => {
      const { secrets, projectKey } = adminPortalOf(request)
      const keys = secrets.map(({ id, sealed }) =>
        Buffer.from(ctx.box.open(enduserSecretPurpose, id, sealed), 'utf8'),
      )
      const nowMs = ctx.clock.nowMs()
      const checked = checkEndUserToken(request.body.token.trim(), { keys, projectKey, nowMs })
      if (checked.kind === 'user') {
        const { enduserId, email, name } = checked.user
        return {
          valid: true,
          enduser_id: enduserId,
          ...(email === undefined ? {} : { email }),
          ...(name === undefined ? {} : { name }),
        }
      }
      const code = checked.kind === 'expired' ? 'token_expired' : 'token_invalid'
      return { valid: false, code, reason: checked.reason }
    },
  })
}

export function secretView(row: SecretRow): EndUserSecret {
  return {
    id: row.id,
    prefix: row.prefix,
    created_at: row.createdAt.toISOString(),
    retired_at: row.retiredAt?.toISOString() ?? null,
  }
}
