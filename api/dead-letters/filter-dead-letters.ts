import type { DeadLetterSelection } from '#schemas/rest/operation/operation-changes.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import type { DeadLetterFilter } from './dead-letter-store.ts'

/** One id alone has an error of its own when it cannot be changed. */
export async function filterOf(
  pg: Database,
  { ids, reason, project_id }: Omit<DeadLetterSelection, 'all'>,
): Promise<DeadLetterFilter> {
  if (ids !== undefined) return ids.length === 1 ? { id: ids[0] } : { ids }
  return { reason, projectId: await dsnIdOf(pg, project_id) }
}

/** Of a project of any organization. */
async function dsnIdOf(pg: Database, projectId: string | undefined): Promise<number | undefined> {
  if (projectId === undefined) return undefined
  const { rows } = await pg.query<{ dsn_id: number }>('select dsn_id from projects where id = $1', [
    projectId,
  ])
  return found(rows[0]).dsn_id
}
