/** Saved views in Postgres. A view without a person is shared. */
import type { ProjectId } from '#schemas/ids.ts'
import type { SavedView } from '#schemas/rest/saved-view.ts'
import type { Database } from '../database.ts'

export interface StoredView extends Omit<SavedView, 'created_at' | 'updated_at' | 'shared'> {
  readonly person_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** What the caller sees: the shared views, and those of the person if the caller is one. */
export interface Viewer {
  readonly projectId: ProjectId
  readonly personId: string | null
}

const columns = 'id, page, name, params, position, person_id, created_at, updated_at'
const visible = 'project_id = $1 and (person_id is null or person_id = $2)'
const order = 'person_id is not null, position, created_at, id'

export async function listViews(pg: Database, viewer: Viewer): Promise<StoredView[]> {
  const { rows } = await pg.query<StoredView>(
    `select ${columns} from saved_views where ${visible} order by ${order}`,
    [viewer.projectId, viewer.personId],
  )
  return rows
}

export async function findView(
  pg: Database,
  viewer: Viewer,
  id: string,
): Promise<StoredView | undefined> {
  const { rows } = await pg.query<StoredView>(
    `select ${columns} from saved_views where ${visible} and id = $3`,
    [viewer.projectId, viewer.personId, id],
  )
  return rows[0]
}

/** Until the end of the transaction nobody else changes views of the project. */
export async function lockViews(pg: Database, projectId: ProjectId): Promise<void> {
  await pg.query(`select pg_advisory_xact_lock(hashtextextended('saved views', $1))`, [projectId])
}

/** Inserts or replaces the view. */
export async function writeView(
  pg: Database,
  projectId: ProjectId,
  view: StoredView,
): Promise<void> {
  await pg.query(
    `insert into saved_views (project_id, id, page, name, params, position, person_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update set name = excluded.name, params = excluded.params,
       person_id = excluded.person_id, updated_at = excluded.updated_at`,
    [
      projectId,
      view.id,
      view.page,
      view.name,
      view.params,
      view.position,
      view.person_id,
      view.created_at,
      view.updated_at,
    ],
  )
}

/** Gives views their place in the list as their position. */
export async function writePositions(pg: Database, ids: readonly string[]): Promise<void> {
  await pg.query(
    `update saved_views set position = given.place - 1
     from unnest($1::uuid[]) with ordinality as given (id, place)
     where saved_views.id = given.id and position <> given.place - 1`,
    [ids],
  )
}

export async function removeView(pg: Database, id: string): Promise<void> {
  await pg.query('delete from saved_views where id = $1', [id])
}
