import type { Database } from '../database.ts'

/** Uses of an address by the organization itself. */
export interface AddressUse {
  readonly kind: 'member' | 'newsletter'
  readonly name: string
}

export async function findUsesOfAddress(
  pg: Database,
  organizationId: string,
  email: string,
): Promise<AddressUse[]> {
  const { rows } = await pg.query<AddressUse>(
    `select 'member' as kind, p.email as name from memberships m join people p on p.id = m.person_id
       where m.organization_id = $1 and p.email = $2
     union all
     select 'newsletter', slug from newsletters
       where organization_id = $1 and $2 in (lower(from_address), lower(reply_to))
     limit 10`,
    [organizationId, email],
  )
  return rows
}
