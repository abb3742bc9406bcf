import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import { lockOwners } from './person-store.ts'

/**
 * Throws if the person is the only owner, because an organization without owners cannot get one.
 */
export async function requireAnotherOwner(
  client: Database,
  organizationId: string,
  personId: string,
): Promise<void> {
  const owners = await lockOwners(client, organizationId)
  if (owners.length === 1 && owners[0] === personId) {
    throw new CodedError('conflict', { message: 'An organization needs at least one owner.' })
  }
}
