/** Ideas in bulk: read in the order they came for an export, and written with their votes for an import. */
import type { IdeaStatus } from '#schemas/rest/idea.ts'
import type { Database } from './database.ts'
import { isoTime } from './idea-view.ts'

export interface ExportedIdea {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: IdeaStatus
  readonly moderation: string
  readonly tags: readonly string[]
  readonly vote_count: number
  readonly comment_count: number
  readonly author_id: string | null
  readonly author_name: string | null
  readonly response: string | null
  readonly duplicate_of: string | null
  readonly created_at: string
  readonly updated_at: string
}

export async function readIdeasForExport(
  pg: Database,
  { projectId, afterId, limit }: { projectId: string; afterId: string | undefined; limit: number },
): Promise<ExportedIdea[]> {
  const { rows } = await pg.query<ExportedIdea>(
    `select i.id, i.title, i.description, i.status, i.moderation,
       array(select t.slug from idea_tags it join tags t on t.id = it.tag_id
         where it.idea_id = i.id order by t.slug) as tags,
       c.vote_count, c.comment_count, u.enduser_id as author_id, u.name as author_name, i.response,
       i.duplicate_of, ${isoTime('i.created_at')} as created_at, ${isoTime('i.updated_at')} as updated_at
     from ideas i join idea_counts c on c.idea_id = i.id left join endusers u on u.id = i.author_id
     where i.project_id = $1 and ($2::uuid is null or i.id > $2) order by i.id limit $3`,
    [projectId, afterId ?? null, limit],
  )
  return rows
}

/** Of the titles, those that published or waiting ideas of the project have. */
export async function findKnownTitles(
  pg: Database,
  { projectId, titles }: { projectId: string; titles: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await pg.query<{ title: string }>(
    'select distinct title from ideas where project_id = $1 and title = any($2::text[])',
    [projectId, titles],
  )
  return new Set(rows.map(({ title }) => title))
}

export interface BulkIdea {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: IdeaStatus
  readonly author_id: string | null
  readonly created_at: Date
}

export async function addIdeas(
  pg: Database,
  { projectId, ideas, now }: { projectId: string; ideas: readonly BulkIdea[]; now: Date },
): Promise<void> {
  await pg.query(
    `insert into ideas (id, project_id, title, description, status, author_id, created_at, updated_at)
     select id, $1, title, description, status, author_id, created_at, created_at
     from jsonb_to_recordset($2::jsonb) as n
       (id uuid, title text, description text, status text, author_id uuid, created_at timestamptz)`,
    [projectId, JSON.stringify(ideas)],
  )
  await pg.query(
    `insert into idea_events (id, idea_id, kind, to_status, actor, details, at)
     select gen_random_uuid(), id, 'created', status, 'import', '{}', $2
     from jsonb_to_recordset($1::jsonb) as n (id uuid, status text)`,
    [JSON.stringify(ideas), now],
  )
}

/** Rows of users by what the project calls them, made where there are none; a name only where none is known. */
export async function ensureEndUsers(
  pg: Database,
  {
    projectId,
    users,
    now,
  }: { projectId: string; users: ReadonlyMap<string, string | null>; now: Date },
): Promise<Map<string, string>> {
  const ids = [...users.keys()]
  // Sorted, so that two imports of the same users do not wait for each other.
  const { rows } = await pg.query<{ id: string; enduser_id: string }>(
    `insert into endusers as e (id, project_id, enduser_id, name, created_at, last_seen_at)
     select gen_random_uuid(), $1, enduser_id, name, $4, $4
     from unnest($2::text[], $3::text[]) as n (enduser_id, name) order by enduser_id
     on conflict (project_id, enduser_id) do update set name = coalesce(e.name, excluded.name)
     returning id, enduser_id`,
    [projectId, ids, ids.map((id) => users.get(id) ?? null), now],
  )
  return new Map(rows.map(({ id, enduser_id }) => [enduser_id, id]))
}

export async function addVotesInBulk(
  pg: Database,
  votes: readonly { ideaId: string; enduserId: string }[],
): Promise<void> {
  const ideaIds = votes.map(({ ideaId }) => ideaId)
  await pg.query(
    `insert into votes (idea_id, enduser_id) select * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing`,
    [ideaIds, votes.map(({ enduserId }) => enduserId)],
  )
  await pg.query(
    `update idea_counts c set vote_count = n.votes
     from (select idea_id, count(*) as votes from votes where idea_id = any($1::uuid[]) group by idea_id) n
     where n.idea_id = c.idea_id`,
    [[...new Set(ideaIds)]],
  )
}
