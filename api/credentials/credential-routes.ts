/**
 * Access tokens and API keys. Only people create and see them, viewers excepted: prefixes and last
 * uses are for those who maintain the programs. A value is shown once, when it is created.
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
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { createCredential } from './create-credential.ts'
import {
  type CredentialTable,
  findCredential,
  listCredentials,
  type StoredCredential,
} from './credential-store.ts'
import { deleteCredential } from './delete-credential.ts'
import { updateCredential } from './update-credential.ts'

const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)
const role = 'member'

interface Kind {
  readonly table: CredentialTable
  readonly url: string
  /** In texts, and as a part of operation ids. */
  readonly noun: string
  readonly name: string
  readonly tags: string[]
  readonly item: typeof TokenItem | typeof ApiKeyItem
  readonly list: typeof TokenList | typeof ApiKeyList
}

const tokens: Kind = {
  table: 'access_tokens',
  url: '/tokens',
  noun: 'access token',
  name: 'AccessToken',
  tags: ['access tokens'],
  item: TokenItem,
  list: TokenList,
}
const apiKeys: Kind = {
  table: 'api_keys',
  url: '/api-keys',
  noun: 'API key',
  name: 'ApiKey',
  tags: ['API keys'],
  item: ApiKeyItem,
  list: ApiKeyList,
}

export function registerCredentials(app: ApiInstance, ctx: ApiContext): void {
  registerCreation(app, ctx)
  for (const kind of [tokens, apiKeys]) registerKind(app, kind, ctx)
}

function registerCreation(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: tokens.url,
    config: { role },
    schema: {
      operationId: 'createAccessToken',
      tags: tokens.tags,
      summary: 'Create an access token',
      description: 'The token begins with `oat_`. Its value is in this reply only.',
      body: TokenBody,
      response: { ...errorReplies, 201: NewToken },
    },
    handler: async (request, reply) => {
      const { label, scopes, expires_at: expiresAt } = request.body
      const input = { table: tokens.table, label, scopes, expiresAt }
      const { credential, value } = await createCredential(ctx, actorOf(request), input)
      reply.code(201)
      return { ...viewOf(credential), value }
    },
  })

  app.route({
    method: 'POST',
    url: apiKeys.url,
    config: { role },
    schema: {
      operationId: 'createApiKey',
      tags: apiKeys.tags,
      summary: 'Create a key for the email API',
      description: 'The key begins with `emk_`. Its value is in this reply only.',
      body: ApiKeyBody,
      response: { ...errorReplies, 201: NewApiKey },
    },
    handler: async (request, reply) => {
      const { label, expires_at: expiresAt } = request.body
      const input = { table: apiKeys.table, label, expiresAt }
      const { credential, value } = await createCredential(ctx, actorOf(request), input)
      reply.code(201)
      return { ...viewOf(credential), value }
    },
  })
}

function registerKind(app: ApiInstance, kind: Kind, ctx: ApiContext): void {
  const { table, url, noun, name, tags } = kind

  app.route({
    method: 'GET',
    url,
    config: { role },
    schema: {
      operationId: `list${name}s`,
      tags,
      summary: `List ${noun}s`,
      description: 'Oldest first, with those that are revoked or have expired.',
      response: replies(kind.list),
    },
    handler: async (request) => {
      const rows = await listCredentials(ctx.pg, table, personOf(request).organizationId)
      return { items: rows.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: `${url}/:id`,
    config: { role },
    schema: {
      operationId: `get${name}`,
      tags,
      summary: `Get an ${noun}`,
      params: IdPath,
      response: replies(kind.item),
    },
    handler: async (request) => {
      const named = { organizationId: personOf(request).organizationId, id: idOf(request) }
      return viewOf(found(await findCredential(ctx.pg, table, named)))
    },
  })

  app.route({
    method: 'PATCH',
    url: `${url}/:id`,
    config: { role },
    schema: {
      operationId: `update${name}`,
      tags,
      summary: `Update or revoke an ${noun}`,
      description: 'Revoking is permanent. What is revoked stays in the list.',
      params: IdPath,
      body: CredentialChange,
      response: replies(kind.item),
    },
    handler: async (request) => {
      const input = { table, id: idOf(request), change: request.body }
      return viewOf(await updateCredential(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'DELETE',
    url: `${url}/:id`,
    config: { role },
    schema: {
      operationId: `delete${name}`,
      tags,
      summary: `Delete an ${noun}`,
      params: IdPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteCredential(ctx, actorOf(request), { table, id: idOf(request) })
      reply.code(204)
      return null
    },
  })
}

function idOf(request: FastifyRequest): string {
  return requireUuid((request.params as { id: string }).id)
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
