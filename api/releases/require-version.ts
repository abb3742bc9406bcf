import { versionCharactersMax, versionPattern } from '#schemas/rest/releases/release-changes.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

/** Throws when no release may have this name. */
export function requireVersion(version: string): void {
  if (version.length <= versionCharactersMax && versionPattern.test(version)) return
  const rule = `must have 1 to ${versionCharactersMax} characters and no control characters`
  throw invalidField('release', rule)
}
