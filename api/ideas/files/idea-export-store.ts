/**
 * Queries of an export: ideas with voters, comments, tags, history and users, as an import reads
 * them.
 */
import type { Database } from '../../database.ts'

/** A time with microseconds, so that two exports of the same data are equal. */
const exactTime = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Columns of a file in order. In CSV, lists other than tags are JSON in their cell. */
export const exportColumns = [
  ...['id', 'title', 'description', 'status', 'moderation', 'tags', 'vote_count', 'comment_count'],
  ...['author_id', 'author_name', 'response', 'duplicate_of', 'created_at', 'updated_at'],
  ...['imported_votes', 'author_email', 'response_by', 'response_at', 'status_before_merge'],
  ...['voters', 'comments', 'events', 'tag_details', 'users', 'notice_optouts'],
] as const
export type ExportedIdea = Readonly<Record<(typeof exportColumns)[number], unknown>> & {
  readonly id: string
  readonly created_at: string
  readonly tags: readonly string[]
}

/** The position before the first idea of a project. */
export const exportStart = {
  created_at: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
} as const

/**
 * Merges one scan of `ideas_by_moderation` for each state, because no index starts with project and
 * time.
 */
const pageOfIdeas = `select at.id, at.created_at
  from unnest(array['published', 'pending', 'rejected']) as state (moderation)
  cross join lateral (
    select i.id, i.created_at from ideas i
    where i.project_id = $1 and i.moderation = state.moderation and (i.created_at, i.id) > ($2::timestamptz, $3::uuid)
    order by i.created_at, i.id limit $4
  ) at
  order by at.created_at, at.id limit $4`

/** Ideas in the order of (created_at, id); `after` is the last idea of the previous page. */
export async function readIdeasForExport(
  pg: Database,
  {
    projectId,
    after,
    limit,
  }: { projectId: string; after: Pick<ExportedIdea, 'id' | 'created_at'>; limit: number },
): Promise<ExportedIdea[]> {
  const { rows } = await pg.query<ExportedIdea>(
    `with page as materialized (${pageOfIdeas})
     select i.id, i.title, i.description, i.status, i.moderation,
       array(select t.slug from idea_tags it join tags t on t.id = it.tag_id
         where it.idea_id = i.id order by t.slug collate "C") as tags,
       c.vote_count, c.comment_count, u.enduser_id as author_id, u.name as author_name, i.response, i.duplicate_of,
       ${exactTime('i.created_at')} as created_at, ${exactTime('i.updated_at')} as updated_at,
       i.imported_votes, i.author_email, i.response_by, ${exactTime('i.response_at')} as response_at,
       i.status_before_merge,
       coalesce((select json_agg(json_build_object('enduser_id', e.enduser_id,
           'voted_at', ${exactTime('v.created_at')}, 'email', v.email, 'cast_by', v.cast_by,
           'via_idea_id', v.via_idea_id) order by v.created_at, e.enduser_id collate "C")
         from votes v join endusers e on e.id = v.enduser_id where v.idea_id = i.id), '[]') as voters,
       coalesce((select json_agg(json_build_object('id', m.id, 'parent_id', m.parent_id, 'body', m.body,
           'author_id', e.enduser_id, 'author_name', m.author_name, 'author_email', m.author_email,
           'is_team', m.is_team, 'moderation', m.moderation, 'deleted_at', ${exactTime('m.deleted_at')},
           'created_at', ${exactTime('m.created_at')}, 'updated_at', ${exactTime('m.updated_at')})
           order by m.created_at, m.id)
         from comments m left join endusers e on e.id = m.author_id where m.idea_id = i.id), '[]') as comments,
       coalesce((select json_agg(json_build_object('kind', h.kind, 'from_status', h.from_status,
           'to_status', h.to_status, 'actor', h.actor, 'details', h.details, 'at', ${exactTime('h.at')})
           order by h.at, h.id)
         from idea_events h where h.idea_id = i.id), '[]') as events,
       coalesce((select json_agg(json_build_object('slug', t.slug, 'name', t.name, 'color', t.color,
           'position', t.position) order by t.slug collate "C")
         from idea_tags it join tags t on t.id = it.tag_id where it.idea_id = i.id), '[]') as tag_details,
       coalesce((select json_agg(json_build_object('enduser_id', e.enduser_id, 'name', e.name, 'email', e.email,
           'email_source', e.email_source, 'trusted', e.trusted, 'blocked_at', ${exactTime('e.blocked_at')},
           'created_at', ${exactTime('e.created_at')}, 'last_seen_at', ${exactTime('e.last_seen_at')})
           order by e.enduser_id collate "C")
         from endusers e where e.id = i.author_id
           or e.id in (select v.enduser_id from votes v where v.idea_id = i.id)
           or e.id in (select m.author_id from comments m where m.idea_id = i.id)), '[]') as users,
       coalesce((select json_agg(json_build_object('email', o.email_key, 'reason', o.reason, 'at', ${exactTime('o.at')})
           order by o.email_key collate "C")
         from portal_optouts o where o.project_id = i.project_id and o.email_key in (
           select lower(i.author_email)
           union all select lower(v.email) from votes v where v.idea_id = i.id
           union all select lower(m.author_email) from comments m where m.idea_id = i.id
           union all select lower(e.email) from endusers e where e.id = i.author_id
             or e.id in (select v.enduser_id from votes v where v.idea_id = i.id)
             or e.id in (select m.author_id from comments m where m.idea_id = i.id))), '[]') as notice_optouts
     from page join ideas i on i.id = page.id join idea_counts c on c.idea_id = i.id
       left join endusers u on u.id = i.author_id
     order by page.created_at, page.id`,
    [projectId, after.created_at, after.id, limit],
  )
  return rows
}
