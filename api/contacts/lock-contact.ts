import { CodedError } from '#schemas/error-codes.ts'
import type { Actor } from '../audit/audit-store.ts'
import type { Database } from '../database.ts'
import { found, requireUuid } from '../http/route.ts'
import { lockAddressById } from './address-store.ts'
import { findContact, type StoredContact } from './contact-store.ts'

/**
 * Finds a contact of the actor's organization and locks its address until the transaction ends, so
 * that no bounce, signup or other change runs at the same time. Throws `not_found`.
 */
export async function lockContact(
  pg: Database,
  { organizationId }: Actor,
  contactId: string,
): Promise<StoredContact> {
  const id = requireUuid(contactId)
  const seen = await findContact(pg, id)
  if (seen?.organizationId !== organizationId) throw new CodedError('not_found')
  await lockAddressById(pg, seen.addressId)
  return found(await findContact(pg, id))
}
