/** Organizations, projects, and the credentials of programs. */
import { z } from 'zod'
import { AccessScope } from './access-scope.ts'
import { DisplayName } from './account.ts'
import { Instant } from './page.ts'

export const Organization = z
  .object({ id: z.uuid(), name: z.string(), created_at: z.iso.datetime() })
  .meta({
    id: 'Organization',
    example: {
      id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b01',
      name: 'Demo',
      created_at: '2026-11-01T12:00:00.000Z',
    },
  })

export const NameBody = z.strictObject({ name: DisplayName }).meta({ example: { name: 'Shop' } })

export const ProjectItem = z
  .object({
    id: z.uuid(),
    dsn_id: z.string().describe('The project number in DSNs.'),
    name: z.string(),
    short_name: z.string().describe('The prefix of short issue ids.'),
    project_key: z.uuid().describe('The key in URLs of its portal.'),
    dsn: z.string().nullable().describe('The DSN of the default key; null when no key is active.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'ProjectItem',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      dsn_id: '1',
      name: 'Shop',
      short_name: 'SHOP',
      project_key: '7b0c1e9c-8f0e-4f0a-9a53-0a4f1d9d5c11',
      dsn: 'http://d3b07384d113edec49eaa6238ad5ff00@127.0.0.1:8030/1',
      created_at: '2026-11-01T12:00:00.000Z',
    },
  })
export type ProjectItem = z.infer<typeof ProjectItem>

export const ProjectList = z.object({ items: z.array(ProjectItem), next_cursor: z.null() })

const credential = {
  id: z.uuid(),
  label: z.string(),
  prefix: z.string().describe('The beginning of the value, to tell credentials apart.'),
  created_by: z
    .string()
    .nullable()
    .describe('Email address of the person who created it; null for the command line.'),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
} as const
const value = z.string().describe('The secret value. It is returned in this reply only.')
const example = {
  id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
  label: 'deploy script',
  prefix: 'oat_hX3k9q',
  created_by: 'ada@example.com',
  created_at: '2026-11-01T12:00:00.000Z',
  last_used_at: '2026-11-21T09:30:00.000Z',
  expires_at: null,
  revoked_at: null,
}
const keyExample = { ...example, prefix: 'emk_hX3k9q' }

export const TokenItem = z
  .object({ ...credential, scopes: z.array(AccessScope) })
  .meta({ id: 'TokenItem', example: { ...example, scopes: ['issues:read'] } })
export const NewToken = TokenItem.extend({ value }).meta({
  id: 'NewToken',
  example: { ...example, scopes: ['issues:read'], value: 'oat_hX3k9q…' },
})
export const TokenList = z.object({ items: z.array(TokenItem), next_cursor: z.null() })

export const ApiKeyItem = z.object(credential).meta({ id: 'ApiKeyItem', example: keyExample })
export const NewApiKey = ApiKeyItem.extend({ value }).meta({
  id: 'NewApiKey',
  example: { ...keyExample, value: 'emk_hX3k9q…' },
})
export const ApiKeyList = z.object({ items: z.array(ApiKeyItem), next_cursor: z.null() })

const expires_at = Instant.nullable()
  .optional()
  .describe('When the credential expires; null or left out for never.')

export const ApiKeyBody = z
  .strictObject({ label: DisplayName, expires_at })
  .meta({ example: { label: 'website' } })
export const TokenBody = ApiKeyBody.extend({
  scopes: z
    .array(AccessScope)
    .min(1)
    .max(AccessScope.options.length)
    .transform((scopes) => [...new Set(scopes)])
    .optional()
    .describe('Default: all scopes except `settings:write`.'),
}).meta({ example: { label: 'deploy script', scopes: ['issues:read'] } })

export const CredentialChange = z
  .strictObject({
    label: DisplayName.optional(),
    expires_at,
    revoked: z.literal(true).optional().describe('Revokes the credential permanently.'),
  })
  .meta({ example: { revoked: true } })
export type CredentialChange = z.infer<typeof CredentialChange>
