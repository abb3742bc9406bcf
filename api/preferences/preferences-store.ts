/** Reads and writes the values that a subscriber sees and changes on the preferences page. */
import type { ContactStatus } from '#schemas/rest/email/contact.ts'
import type { Database } from '../database.ts'

export interface ContactNewsletter {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /** Null when the address never was a contact of this newsletter. */
  readonly contactId: string | null
  readonly status: ContactStatus | null
}

const newslettersMax = 100

/** Lists newsletters with a public archive, and those that have a contact with this address. */
export async function listContactNewsletters(
  pg: Database,
  contact: { organizationId: string; addressId: string },
): Promise<ContactNewsletter[]> {
  const { rows } = await pg.query<ContactNewsletter>(
    `select n.id, n.name, n.description, c.id as "contactId", c.status
     from newsletters n left join contacts c on c.newsletter_id = n.id and c.address_id = $2
     where n.organization_id = $1 and (n.archive_enabled or c.id is not null)
     order by c.id is null, n.name, n.id limit ${newslettersMax}`,
    [contact.organizationId, contact.addressId],
  )
  return rows
}

/** Sets the name of the person in all newsletters of the organization. */
export async function renameContacts(
  pg: Database,
  contact: { addressId: string; name: string | null; now: Date },
): Promise<void> {
  await pg.query(
    'update contacts set name = $2, updated_at = $3 where address_id = $1 and name is distinct from $2',
    [contact.addressId, contact.name, contact.now],
  )
}
