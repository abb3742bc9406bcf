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

export async function listOrganizations(pg: Database): Promise<StoredOrganization[]> {
  const { rows } = await pg.query<StoredOrganization>(
    `select id, name, created_at from organizations order by created_at, id limit ${organizationsMax}`,
  )
  return rows
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
