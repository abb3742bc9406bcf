/**
 * Compares stored counts of ideas with the rows they count, and reindexes ideas after the language
 * of a portal has changed.
 */
import type { Pool } from '#platform/postgres.ts'
import type { CountDrift } from './report-drift.ts'

/**
 * Counts change in the transaction of the rows they count, so one statement sees both at the same
 * moment without a lock.
 */
const drifted: Readonly<Record<CountDrift['what'], string>> = {
  votes: `select count(*) as rows from idea_counts c where project_id = $1
    and vote_count <> votes_of_idea(c.idea_id)`,
  comments: `select count(*) as rows from idea_counts c where project_id = $1
    and comment_count <> (select count(*) from comments m
      where m.idea_id = c.idea_id and m.moderation = 'published' and m.deleted_at is null)`,
  totals: `select count(*) as rows from portal_totals t where project_id = $1
    and idea_count <> (select count(*) from ideas i
      where i.project_id = $1 and i.status = t.status and i.moderation = 'published')`,
  tags: `select count(*) as rows from tags t where project_id = $1
    and idea_count <> (select count(*) from idea_tags it join ideas i on i.id = it.idea_id
      where it.tag_id = t.id and i.moderation = 'published')`,
}

export async function countDrift(pg: Pool): Promise<CountDrift[]> {
  const projects = await pg.query<{ id: string }>('select id from projects order by id')
  const found: CountDrift[] = []
  for (const { id: projectId } of projects.rows) {
    for (const what of Object.keys(drifted) as CountDrift['what'][]) {
      const { rows } = await pg.query<{ rows: number }>(drifted[what], [projectId])
      found.push({ projectId, what, rows: rows[0]?.rows ?? 0 })
    }
  }
  return found
}

const ideasAtOnce = 500

/**
 * Touches each idea. The trigger that fills the search index reads the current language of the
 * portal.
 */
export async function reindexIdeas(pg: Pool, projectId: string): Promise<void> {
  let afterId: string | null = null
  for (;;) {
    const ids: string[] = await nextIds(pg, { projectId, afterId })
    if (ids.length === 0) return
    await pg.query('update ideas set title = title where id = any($1::uuid[])', [ids])
    afterId = ids.at(-1) ?? null
  }
}

async function nextIds(
  pg: Pool,
  { projectId, afterId }: { projectId: string; afterId: string | null },
): Promise<string[]> {
  const { rows } = await pg.query<{ id: string }>(
    `select id from ideas where project_id = $1 and ($2::uuid is null or id > $2)
     order by id limit ${ideasAtOnce}`,
    [projectId, afterId],
  )
  return rows.map(({ id }) => id)
}
