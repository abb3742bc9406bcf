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
  const bytes = hash('sha256', `${projectId}\n${text}`, 'buffer')
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11) || 1
}
