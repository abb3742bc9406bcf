/** Tags of ideas, and the counts of ideas by status. */
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { NewTag, TagChange } from '#schemas/rest/portal/tag-of-idea.ts'
import { tagsPerProjectMax } from '#schemas/rest/portal/tag-of-idea.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

export interface StoredTag {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly color: string
  readonly position: number
  readonly idea_count: number
}

const columns = 'id, slug, name, color, position, idea_count'

export async function listTagsOfProject(pg: Database, projectId: string): Promise<StoredTag[]> {
  const { rows } = await pg.query<StoredTag>(
    `select ${columns} from tags where project_id = $1 order by position, name, id
     limit ${tagsPerProjectMax}`,
    [projectId],
  )
  return rows
}

export async function addTag(
  pg: Database,
  tag: NewTag & { id: string; projectId: string },
): Promise<StoredTag | 'slug_taken' | 'too_many'> {
  // Serializes creations, so that two of them cannot exceed the bound together.
  await pg.query(`select pg_advisory_xact_lock(hashtextextended('tags of ' || $1, 0))`, [
    tag.projectId,
  ])
  const known = await pg.query<{ count: number; taken: boolean }>(
    'select count(*) as count, coalesce(bool_or(slug = $2), false) as taken from tags where project_id = $1',
    [tag.projectId, tag.slug],
  )
  const { count, taken } = known.rows[0]!
  if (taken) return 'slug_taken'
  if (tagsPerProjectMax <= count) return 'too_many'
  const { rows } = await pg.query<StoredTag>(
    `insert into tags (id, project_id, slug, name, color, position) values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [tag.id, tag.projectId, tag.slug, tag.name, tag.color, tag.position],
  )
  return rows[0]!
}

/** Undefined: the project has no tag with this slug. */
export async function storeTag(
  pg: Database,
  { projectId, slug, change }: { projectId: string; slug: string; change: TagChange },
): Promise<StoredTag | undefined> {
  const { rows } = await pg.query<StoredTag>(
    `update tags set name = coalesce($3, name), color = coalesce($4, color), position = coalesce($5, position)
     where project_id = $1 and slug = $2 returning ${columns}`,
    [projectId, slug, change.name ?? null, change.color ?? null, change.position ?? null],
  )
  return rows[0]
}

/** Deletes the tag from its ideas too. Returns false if it is missing. */
export async function removeTag(
  pg: Database,
  { projectId, slug }: { projectId: string; slug: string },
): Promise<boolean> {
  const { rowCount } = await pg.query('delete from tags where project_id = $1 and slug = $2', [
    projectId,
    slug,
  ])
  return rowCount === 1
}

/** @param unknown what `setTagsOfIdea` returned. */
export function requireKnownTags([unknown]: readonly string[]): void {
  if (unknown === undefined) return
  throw invalidField('tags', `must be tags of the project: ${unknown} is not one`)
}

/**
 * Replaces the tags of an idea. Returns slugs that the project does not have; then nothing changed.
 */
export async function setTagsOfIdea(
  pg: Database,
  { projectId, ideaId, slugs }: { projectId: string; ideaId: string; slugs: readonly string[] },
): Promise<readonly string[]> {
  // Locks all tags of the project in order: removing some and adding others would lock in any
  // order.
  const { rows } = await pg.query<{ id: string; slug: string }>(
    'select id, slug from tags where project_id = $1 order by id for no key update',
    [projectId],
  )
  const idOf = new Map(rows.map(({ id, slug }) => [slug, id]))
  const unknown = slugs.filter((slug) => !idOf.has(slug))
  if (unknown.length > 0) return unknown
  const ids = slugs.map((slug) => idOf.get(slug))
  await pg.query('delete from idea_tags where idea_id = $1 and tag_id <> all($2::uuid[])', [
    ideaId,
    ids,
  ])
  await pg.query(
    'insert into idea_tags (idea_id, tag_id) select $1, unnest($2::uuid[]) on conflict do nothing',
    [ideaId, ids],
  )
  return []
}

/** Counts of published ideas, from a stored total. */
export async function countByStatus(
  pg: Database,
  projectId: string,
): Promise<Map<IdeaStatus, number>> {
  const { rows } = await pg.query<{ status: IdeaStatus; idea_count: number }>(
    'select status, idea_count from portal_totals where project_id = $1 and idea_count > 0',
    [projectId],
  )
  return new Map(rows.map(({ status, idea_count }) => [status, idea_count]))
}
