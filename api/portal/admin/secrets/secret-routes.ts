/** Secrets that a project's own site signs its users' tokens with, and a place to try a token. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  EndUserSecret,
  EndUserSecretList,
  NewEndUserSecret,
  TokenToTry,
  TriedToken,
} from '#schemas/rest/portal-settings.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../../../auth/people-gate.ts'
import type { ApiContext } from '../../../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../../../http/route.ts'
import { addAudit } from '../../../io/audit-store.ts'
import {
  addSecret,
  listSecrets,
  retireSecret,
  type SecretRow,
} from '../../../io/enduser-secret-store.ts'
import { findPortalOfOrganization, lockPortal } from '../../../io/portal-settings-store.ts'
import { checkEndUserToken } from '../../gate/enduser-token.ts'
import { enduserSecretPurpose, portalDirectoryOf } from '../../gate/portal-directory.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../admin-portal.ts'

const secretBytes = 32
const prefixCharacters = 6

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
      const secret = randomBytes(secretBytes).toString('base64url')
      const row = await ctx.pg.transaction(async (pg) => {
        await lockPortal(pg, projectId)
        const added = await addSecret(pg, {
          projectId,
          prefix: secret.slice(0, prefixCharacters),
          seal: (id) => ctx.box.seal(enduserSecretPurpose, id, secret),
          now: new Date(ctx.clock.nowMs()),
        })
        if (added === undefined) {
          throw new CodedError('conflict', {
            message: 'Two secrets are live already: retire one first.',
          })
        }
        await addAudit(pg, actorOf(request), {
          action: 'enduser_secret.created',
          subjectType: 'enduser_secret',
          subjectId: added.id,
          details: { project_id: projectId, prefix: added.prefix },
        })
        return added
      })
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
      const { projectId, projectKey, organizationId } = adminPortalOf(request)
      const id = requireUuid(request.params.secret_id)
      const row = await ctx.pg.transaction(async (pg) => {
        await lockPortal(pg, projectId)
        const retired = found(
          await retireSecret(pg, { projectId, id, now: new Date(ctx.clock.nowMs()) }),
        )
        const left = await findPortalOfOrganization(pg, { projectId, organizationId })
        if (left?.settings.enduserAuth && left.secrets.length === 0) {
          throw new CodedError('conflict', {
            message: 'End-user auth is on and this is its last secret: switch it off first.',
          })
        }
        await addAudit(pg, actorOf(request), {
          action: 'enduser_secret.retired',
          subjectType: 'enduser_secret',
          subjectId: id,
          details: { project_id: projectId, prefix: retired.prefix },
        })
        return retired
      })
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

function secretView(row: SecretRow): EndUserSecret {
  return {
    id: row.id,
    prefix: row.prefix,
    created_at: row.createdAt.toISOString(),
    retired_at: row.retiredAt?.toISOString() ?? null,
  }
}
