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

/** A token made without a choice. Changing settings is left to people unless it is asked for. */
export const defaultScopes: readonly AccessScope[] = [
  'feedback:read',
  'issues:read',
  'issues:write',
]
