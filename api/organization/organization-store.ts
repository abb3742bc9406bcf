import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database.ts'

/** Far more rows than an installation has. A longer list is cut without notice. */
const organizationsMax = 10_000

export interface StoredOrganization {
  readonly id: string
  readonly name: string
  readonly created_at: Date
}

export async function findOrganization(
  pg: Database,
  id: string,
): Promise<StoredOrganization | undefined> {
  const { rows } = await pg.query<StoredOrganization>(
    'select id, name, created_at from organizations where id = $1',
    [id],
  )
  return rows[0]
}

export async function renameOrganization(
  pg: Database,
  organization: { id: string; name: string },
): Promise<StoredOrganization | undefined> {
  const { rows } = await pg.query<StoredOrganization>(
    'update organizations set name = $2 where id = $1 returning id, name, created_at',
    [organization.id, organization.name],
  )
  return rows[0]
}

/** Without those that are being deleted, and without the placeholders of deleted projects. */
export async function listOrganizations(pg: Database): Promise<StoredOrganization[]> {
  const { rows } = await pg.query<StoredOrganization>(
    `select id, name, created_at from organizations o
     where not exists (
       select from deletions d
       where d.id = o.id or d.kind = 'organization' and d.organization_id = o.id
     )
     order by created_at, id limit ${organizationsMax}`,
  )
  return rows
}

/**
 * Keeps the organization from being deleted until the transaction ends. Returns false when it is
 * being deleted: what is added to it now would outlive it.
 */
export async function holdOrganization(client: Database, id: string): Promise<boolean> {
  // Two statements: the second one sees what the first one has waited for.
  await client.query('select from organizations where id = $1 for key share', [id])
  const { rowCount } = await client.query(
    `select from organizations o where id = $1 and not exists (
       select from deletions d where d.kind = 'organization' and d.organization_id = o.id
     )`,
    [id],
  )
  return rowCount === 1
}

/** Blocks other inserts of organizations until the transaction ends. */
export async function lockOrganizations(pg: Database): Promise<void> {
  await pg.query('lock table organizations in share row exclusive mode')
}

export async function addOrganization(
  pg: Database,
  organization: { name: string },
): Promise<{ id: string; name: string }> {
  const id = uuidv7()
  await pg.query('insert into organizations (id, name) values ($1, $2)', [id, organization.name])
  return { id, name: organization.name }
}
