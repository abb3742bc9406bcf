import { createHash } from 'node:crypto'

/**
 * Hash of an erased address. It includes the organization, so that hashes of two cannot be
 * compared.
 */
export function erasedKey(organizationId: string, key: string): string {
  return `sha256:${createHash('sha256').update(`${organizationId} ${key}`).digest('hex')}`
}
