import type { Postgres } from '../../api/database.ts'

/** Each query returns rows whose stored count differs from a recount, or that should not exist. */
const checks: readonly (readonly [what: string, sql: string])[] = [
  [
    'vote_count is not the number of votes',
    `select c.idea_id from idea_counts c where c.project_id = $1
       and vote_count <> votes_of_idea(c.idea_id)`,
  ],
  [
    'published does not match the moderation state',
    `select c.idea_id from idea_counts c join ideas i on i.id = c.idea_id
     where c.project_id = $1 and c.published <> (i.moderation = 'published')`,
  ],
  [
    'a total is not the number of published ideas of its status',
    `select status from portal_totals t where project_id = $1 and idea_count <>
       (select count(*) from ideas i where i.project_id = $1 and i.status = t.status and i.moderation = 'published')`,
  ],
  [
    'a status has no total',
    `select distinct status from ideas i where project_id = $1 and moderation = 'published'
       and not exists (select from portal_totals t where t.project_id = $1 and t.status = i.status)`,
  ],
  [
    'idea_count of a tag is not the number of its published ideas',
    `select slug from tags t where project_id = $1 and idea_count <>
       (select count(*) from idea_tags it join ideas i on i.id = it.idea_id
        where it.tag_id = t.id and i.moderation = 'published')`,
  ],
  [
    'a duplicate points at a duplicate',
    `select i.id from ideas i join ideas o on o.id = i.duplicate_of
     where i.project_id = $1 and o.duplicate_of is not null`,
  ],
  [
    'a copied vote is not on the idea that its original idea duplicates',
    `select v.idea_id from votes v join ideas i on i.id = v.idea_id join ideas via on via.id = v.via_idea_id
     where i.project_id = $1 and via.duplicate_of is distinct from v.idea_id`,
  ],
]

export async function recount(pg: Postgres, projectId: string): Promise<string[]> {
  const errors: string[] = []
  for (const [what, sql] of checks) {
    const { rows } = await pg.query(sql, [projectId])
    if (rows.length > 0) errors.push(`${what}: ${JSON.stringify(rows.slice(0, 5))}`)
  }
  return errors
}
