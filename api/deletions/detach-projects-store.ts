/**
 * Makes projects unusable at once. A deleted project belongs to a placeholder organization, which
 * has the id of the deletion and no people: every route, every portal and every credential finds it
 * no more, while its rows are removed in batches. Its row and the placeholder go at the end.
 */
import type { Database } from '../database.ts'
import type { DeletedProject } from './deletion-store.ts'

/** Locks the rows, so that a commit that counts into the projects runs before or after. */
export async function lockProjects(
  client: Database,
  projects: { readonly organizationId: string; readonly id?: string },
): Promise<(DeletedProject & { readonly name: string })[]> {
  const { rows } = await client.query<DeletedProject & { name: string }>(
    `select id, dsn_id, name from projects where organization_id = $1 and ($2::uuid is null or id = $2)
     order by dsn_id for update`,
    [projects.organizationId, projects.id ?? null],
  )
  return rows
}

/**
 * The trigger of `dsn_keys` notifies ingest, which refuses the keys like unknown ones. Returns how
 * many rows were deleted, by table.
 */
export async function detachProjects(
  client: Database,
  deletionId: string,
  projects: readonly DeletedProject[],
): Promise<Record<string, number>> {
  const ids = projects.map(({ id }) => id)
  const keys = await client.query('delete from dsn_keys where project_id = any($1)', [ids])
  const waiting = await client.query(
    'delete from portal_notices where project_id = any($1) and sent_at is null and dropped is null',
    [ids],
  )
  await client.query(`insert into organizations (id, name) values ($1, 'Deleted')`, [deletionId])
  await client.query(
    `update projects set organization_id = $1, name = 'Deleted', short_name = 'DELETED-' || dsn_id,
       project_key = gen_random_uuid(), settings = '{}'
     where id = any($2)`,
    [deletionId, ids],
  )
  return { dsn_keys: keys.rowCount ?? 0, portal_notices: waiting.rowCount ?? 0 }
}
