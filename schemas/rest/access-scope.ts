import { z } from 'zod'

/** What an access token may be used for. */
export const accessScopes = [
  'feedback:read',
  'issues:read',
  'issues:write',
  'settings:write',
] as const

export const AccessScope = z.enum(accessScopes)
export type AccessScope = z.infer<typeof AccessScope>

/** The scopes of a token by default. Changing settings must be requested explicitly. */
export const defaultScopes: readonly AccessScope[] = [
  'feedback:read',
  'issues:read',
  'issues:write',
]
