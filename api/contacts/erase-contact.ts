import { erasePersonData } from '#platform/person-data/erase-address-store.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { lockAddress } from './address-store.ts'
import { lockContact } from './lock-contact.ts'
import { parseAddress } from './parse-address.ts'

/** Names the person: by one of their contacts, or by the address. */
export type ErasedPerson = { readonly contactId: string } | { readonly email: string }

/**
 * Erases a person from the whole organization. The audit entry holds no address, because the audit
 * log outlives the person's data.
 */
export async function eraseContact(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  person: ErasedPerson,
): Promise<{ id: string; contacts: number }> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const { addressId, ...subject } = await lockPerson(client, actor, person)
    const { contacts, suppressed } = await erasePersonData(client, { organizationId, addressId })
    const details = { contacts, suppressed }
    await addAudit(client, actor, { action: 'contact.erased', ...subject, details })
    return { id: addressId, contacts }
  })
}

async function lockPerson(client: Database, actor: Actor, person: ErasedPerson) {
  if ('contactId' in person) {
    const { id, addressId } = await lockContact(client, actor, person.contactId)
    return { addressId, subjectType: 'contact', subjectId: id }
  }
  const { organizationId } = actor
  const { key } = parseAddress(person.email)
  const address = await lockAddress(client, { organizationId, key })
  if (address === undefined) {
    throw new CodedError('not_found', { message: 'Nothing is stored about this address.' })
  }
  return { addressId: address.id, subjectType: 'address', subjectId: address.id }
}
