import { hash } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'

const didCharactersMax = 200

/**
 * Hashes the `did` of a session, which names a user, often by an email address. The hash differs
 * between projects. It has 53 bits, so a million users of one project collide with a probability of
 * about 10^-4. 0 means no user.
 */
export function userHash(projectId: ProjectId, did: unknown): number {
  if (typeof did !== 'string' && typeof did !== 'number') return 0
  const text = String(did).trim().slice(0, didCharactersMax)
  if (text === '') return 0
  // Not a buffer: the memory outside the heap would cost more than the hash.
  const hex = hash('sha256', `${projectId}\n${text}`, 'hex')
  const high = Number.parseInt(hex.slice(0, 8), 16)
  const low = Number.parseInt(hex.slice(8, 16), 16)
  return high * 2 ** 21 + (low >>> 11) || 1
}
