import { createHash } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'

const didCharactersMax = 200

/**
 * A session's `did` names a user, often by an address: only a hash of it is kept, another one in every project. 53 bits, so
 * that a million users meet by chance once in ten thousand projects. 0 when there is none.
 */
export function userHash(projectId: ProjectId, did: unknown): number {
  if (typeof did !== 'string' && typeof did !== 'number') return 0
  const text = String(did).trim().slice(0, didCharactersMax)
  if (text === '') return 0
  const bytes = createHash('sha256').update(`${projectId}\n${text}`).digest()
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11) || 1
}
