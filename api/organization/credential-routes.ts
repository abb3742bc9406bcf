/**
 * Access tokens and API keys: made, seen, revoked and deleted by people only. Their values are shown once, when they are made. Who
 * reads only does not see them either: prefixes and last uses are for those who look after the programs.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  ApiKeyBody,
  ApiKeyItem,
  ApiKeyList,
  CredentialChange,
  NewApiKey,
  NewToken,
  TokenBody,
  TokenItem,
  TokenList,
} from '#schemas/rest/organization.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { CredentialTable } from './account-lists.ts'
import { createAccessToken, createApiKey } from './account-store.ts'
import {
  changeOrganizationCredential,
  deleteOrganizationCredential,
  findOrganizationCredential,
  listOrganizationCredentials,
  type StoredCredential,
} from './organization-credential-store.ts'

const tags = ['organization']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)
const role = 'member'

interface Kind {
  readonly table: CredentialTable
  readonly url: string
  readonly noun: 'token' | 'api_key'
  readonly title: string
  readonly item: typeof TokenItem | typeof ApiKeyItem
  readonly list: typeof TokenList | typeof ApiKeyList
}

const tokens: Kind = {
  table: 'access_tokens',
  url: '/tokens',
  noun: 'token',
  title: 'access token',
  item: TokenItem,
  list: TokenList,
}
const apiKeys: Kind = {
  table: 'api_keys',
  url: '/api-keys',
  noun: 'api_key',
  title: 'API key',
  item: ApiKeyItem,
  list: ApiKeyList,
}

export function registerCredentials(app: ApiInstance, ctx: ApiContext): void {
  registerMaking(app, ctx)
  for (const kind of [tokens, apiKeys]) registerKind(app, kind, ctx)
}

function registerMaking(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: tokens.url,
    config: { role },
    schema: {
      tags,
      summary: 'Make an access token (oat_…)',
      body: TokenBody,
      response: { ...errorReplies, 201: NewToken },
    },
    handler: async (request, reply) => {
      const { label, scopes, expires_at } = request.body
      const { organizationId, personId: createdBy } = personOf(request)
      const expiresAt = expiryOf(expires_at, ctx)
      const made = await ctx.pg.transaction(async (client) => {
        const chosen = scopes === undefined ? {} : { scopes }
        const token = { organizationId, label, expiresAt, createdBy, ...chosen }
        return added(client, request, tokens, await createAccessToken(client, token))
      })
      reply.code(201)
      return made
    },
  })

  app.route({
    method: 'POST',
    url: apiKeys.url,
    config: { role },
    schema: {
      tags,
      summary: 'Make a key for the email API (emk_…)',
      body: ApiKeyBody,
      response: { ...errorReplies, 201: NewApiKey },
    },
    handler: async (request, reply) => {
      const { label, expires_at } = request.body
      const { organizationId, personId: createdBy } = personOf(request)
      const expiresAt = expiryOf(expires_at, ctx)
      const made = await ctx.pg.transaction(async (client) => {
        const key = await createApiKey(client, { organizationId, label, expiresAt, createdBy })
        return added(client, request, apiKeys, key)
      })
      reply.code(201)
      return made
    },
  })
}

function registerKind(app: ApiInstance, kind: Kind, ctx: ApiContext): void {
  const { table, url, noun, title } = kind

  app.route({
    method: 'GET',
    url,
    config: { role },
    schema: { tags, summary: `The ${title}s, the oldest first`, response: replies(kind.list) },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const rows = await listOrganizationCredentials(ctx.pg, table, organizationId)
      return { items: rows.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: `${url}/:id`,
    config: { role },
    schema: { tags, summary: `One ${title}`, params: IdPath, response: replies(kind.item) },
    handler: async (request) =>
      viewOf(found(await findOrganizationCredential(ctx.pg, table, namedBy(request)))),
  })

  app.route({
    method: 'PATCH',
    url: `${url}/:id`,
    config: { role },
    schema: {
      tags,
      summary: `Rename, revoke or end an ${title}`,
      description: 'One that is revoked stays in the list, and stays revoked.',
      params: IdPath,
      body: CredentialChange,
      response: replies(kind.item),
    },
    handler: async (request) => {
      const named = namedBy(request)
      const { body } = request
      expiryOf(body.expires_at, ctx)
      const change = { ...body, now: new Date(ctx.clock.nowMs()) }
      const changed = await ctx.pg.transaction(async (client) => {
        const row = found(await changeOrganizationCredential(client, table, named, change))
        await addAudit(client, actorOf(request), {
          action: `${noun}.${body.revoked ? 'revoked' : 'changed'}`,
          subjectType: noun,
          subjectId: row.id,
          details: { prefix: row.prefix, ...body },
        })
        return row
      })
      return viewOf(changed)
    },
  })

  app.route({
    method: 'DELETE',
    url: `${url}/:id`,
    config: { role },
    schema: {
      tags,
      summary: `Forget an ${title}`,
      params: IdPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const named = namedBy(request)
      await ctx.pg.transaction(async (client) => {
        const { id, prefix, label } = found(
          await deleteOrganizationCredential(client, table, named),
        )
        await addAudit(client, actorOf(request), {
          action: `${noun}.deleted`,
          subjectType: noun,
          subjectId: id,
          details: { prefix, label },
        })
      })
      reply.code(204)
      return null
    },
  })
}

async function added(
  client: Parameters<typeof addAudit>[0],
  request: FastifyRequest,
  kind: Kind,
  made: { readonly id: string; readonly value: string },
) {
  const { organizationId } = personOf(request)
  const row = found(
    await findOrganizationCredential(client, kind.table, { organizationId, id: made.id }),
  )
  await addAudit(client, actorOf(request), {
    action: `${kind.noun}.created`,
    subjectType: kind.noun,
    subjectId: row.id,
    details: { prefix: row.prefix, label: row.label },
  })
  return { ...viewOf(row), value: made.value }
}

function namedBy(request: FastifyRequest) {
  const { id } = request.params as { id: string }
  return { organizationId: personOf(request).organizationId, id: requireUuid(id) }
}

function expiryOf(text: string | null | undefined, { clock }: ApiContext): Date | null {
  if (text === null || text === undefined) return null
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= clock.nowMs()) throw invalidField('expires_at', 'must be to come')
  return expiresAt
}

function viewOf(row: StoredCredential) {
  return {
    id: row.id,
    label: row.label,
    prefix: row.prefix,
    scopes: row.scopes,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}
