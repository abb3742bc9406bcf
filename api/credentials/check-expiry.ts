import type { Clock } from '#platform/clock.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

/** Parses when a credential expires. Null or undefined: never. Throws when the time has passed. */
export function checkExpiry(text: string | null | undefined, clock: Clock): Date | null {
  if (text === null || text === undefined) return null
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= clock.nowMs()) {
    throw invalidField('expires_at', 'must be in the future')
  }
  return expiresAt
}
