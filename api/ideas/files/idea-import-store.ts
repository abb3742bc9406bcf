/**
 * Bulk writes of an import: ideas with votes, comments, tags, history and users. The queries of an
 * export are in idea-export-store.ts.
 */
import { v7 as uuidv7 } from 'uuid'
import type { FileOptout, FileTag, FileUser } from '#schemas/rest/portal/idea-file.ts'
import { tagsPerProjectMax } from '#schemas/rest/portal/tag-of-idea.ts'
import type { Database } from '../../database.ts'
import { inSlices, mapInSlices } from '../../files/slices.ts'
import { idEndingCharacters } from './imported-id.ts'

/** Ids that ideas of the project have, each with the original if it is a duplicate. */
export async function findOwnIdeas(
  pg: Database,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await pg.query<{ id: string; original: string }>(
    `select id, coalesce(duplicate_of, id) as original from ideas
     where project_id = $1 and id = any($2::uuid[])`,
    [projectId, ids],
  )
  return new Map(rows.map(({ id, original }) => [id, original]))
}

/** Ids of ideas of the project that end with one of `endings`, by that ending. */
export async function findIdsByEnding(
  pg: Database,
  { projectId, endings }: { projectId: string; endings: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await pg.query<{ id: string; ending: string }>(
    `select id, right(id::text, ${idEndingCharacters}) as ending from ideas
     where project_id = $1 and right(id::text, ${idEndingCharacters}) = any($2::text[])`,
    [projectId, endings],
  )
  return new Map(rows.map(({ id, ending }) => [ending, id]))
}

export async function findKnownIds(
  pg: Database,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<Set<string>> {
  return new Set((await findOwnIdeas(pg, { projectId, ids })).keys())
}

/** Positions of ideas for which the project has one with the same texts, other than `ids`. */
export async function findTwins(
  pg: Database,
  {
    projectId,
    ids,
    ideas,
  }: {
    projectId: string
    ids: readonly string[]
    ideas: readonly { title: string; description: string }[]
  },
): Promise<Set<number>> {
  const { rows } = await pg.query<{ at: number }>(
    `select (n.at - 1)::int as at from unnest($2::text[], $3::text[]) with ordinality as n (title, description, at)
     where exists (select from ideas i where i.project_id = $1 and i.title = n.title
       and i.description = n.description and i.id <> all($4::uuid[]))`,
    [projectId, ideas.map(({ title }) => title), ideas.map(({ description }) => description), ids],
  )
  return new Set(rows.map(({ at }) => at))
}

/** Tags that were created meanwhile stay unchanged. */
export async function createTags(
  pg: Database,
  { projectId, tags }: { projectId: string; tags: readonly FileTag[] },
): Promise<void> {
  await pg.query(`select pg_advisory_xact_lock(hashtextextended('tags of ' || $1, 0))`, [projectId])
  await pg.query(
    `insert into tags (id, project_id, slug, name, color, position)
     select id, $1, slug, name, lower(color), position
     from jsonb_to_recordset($2::jsonb) as n (id uuid, slug text, name text, color text, position int)
     limit greatest(0, ${tagsPerProjectMax} - (select count(*) from tags where project_id = $1))
     on conflict do nothing`,
    [projectId, JSON.stringify(tags.map((tag) => ({ id: uuidv7(), ...tag })))],
  )
}

/**
 * Ids of the rows of users, by the id of the project. Missing rows are created; known values stay,
 * unknown ones are taken from the file.
 */
export async function ensureEndUsers(
  pg: Database,
  {
    projectId,
    users,
    now,
  }: { projectId: string; users: ReadonlyMap<string, Partial<FileUser>>; now: Date },
): Promise<Map<string, string>> {
  const rows = await mapInSlices(users, ([enduserId, user]) =>
    JSON.stringify({ ...user, enduser_id: enduserId }),
  )
  // Sorted, so that two imports of the same users do not deadlock.
  const { rows: stored } = await pg.query<{ id: string; enduser_id: string }>(
    `insert into endusers as e (id, project_id, enduser_id, name, email, email_source, trusted, blocked_at,
       created_at, last_seen_at)
     select gen_random_uuid(), $1, enduser_id, name, email,
       case when email is not null then coalesce(email_source, 'typed') end,
       coalesce(trusted, false), blocked_at, coalesce(n.created_at, $3), coalesce(n.last_seen_at, n.created_at, $3)
     from jsonb_to_recordset($2::jsonb) as n (enduser_id text, name text, email text, email_source text,
       trusted boolean, blocked_at timestamptz, created_at timestamptz, last_seen_at timestamptz)
     order by enduser_id
     on conflict (project_id, enduser_id) do update set
       name = coalesce(e.name, excluded.name), email = coalesce(e.email, excluded.email),
       email_source = case when e.email is null then excluded.email_source else e.email_source end
     returning id, enduser_id`,
    [projectId, `[${rows.join(',')}]`, now],
  )
  const idOf = new Map<string, string>()
  for await (const { id, enduser_id } of inSlices(stored)) idOf.set(enduser_id, id)
  return idOf
}

/** Addresses that get no email. An entry that exists stays unchanged. */
export async function addNotificationOptouts(
  pg: Database,
  { projectId, optouts, now }: { projectId: string; optouts: readonly FileOptout[]; now: Date },
): Promise<void> {
  if (optouts.length === 0) return
  await pg.query(
    `insert into portal_optouts (project_id, email_key, reason, at)
     select $1, lower(email), reason, coalesce(at, $3)
     from jsonb_to_recordset($2::jsonb) as n (email text, reason text, at timestamptz)
     order by lower(email)
     on conflict do nothing`,
    [projectId, JSON.stringify(optouts), now],
  )
}

export interface BulkIdea {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: string
  readonly moderation: string
  readonly status_before_merge: string | null
  readonly duplicate_of: string | null
  readonly imported_votes: number
  readonly author_id: string | null
  readonly author_email: string | null
  readonly response: string | null
  readonly response_by: string | null
  readonly response_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export async function addIdeas(
  pg: Database,
  { projectId, ideas }: { projectId: string; ideas: readonly BulkIdea[] },
): Promise<void> {
  const columns = `id, title, description, status, moderation, status_before_merge, duplicate_of, imported_votes,
    author_id, author_email, response, response_by, response_at, created_at, updated_at`
  await pg.query(
    `insert into ideas (project_id, ${columns}) select $1, ${columns}
     from jsonb_to_recordset($2::jsonb) as n (id uuid, title text, description text, status text,
       moderation text, status_before_merge text, duplicate_of uuid, imported_votes int, author_id uuid,
       author_email text, response text, response_by text, response_at timestamptz,
       created_at timestamptz, updated_at timestamptz)`,
    [projectId, JSON.stringify(ideas)],
  )
}

export async function addIdeaTags(
  pg: Database,
  { projectId, tagged }: { projectId: string; tagged: readonly { id: string; slug: string }[] },
): Promise<void> {
  if (tagged.length === 0) return
  // Locks all tags of the project in order, as a change of the tags of one idea does.
  await pg.query('select from tags where project_id = $1 order by id for no key update', [
    projectId,
  ])
  await pg.query(
    `insert into idea_tags (idea_id, tag_id)
     select n.idea_id, t.id from unnest($2::uuid[], $3::text[]) as n (idea_id, slug)
     join tags t on t.project_id = $1 and t.slug = n.slug on conflict do nothing`,
    [projectId, tagged.map(({ id }) => id), tagged.map(({ slug }) => slug)],
  )
}

export interface BulkVote {
  readonly idea_id: string
  readonly enduser_id: string
  readonly via_idea_id: string | null
  readonly email: string | null
  readonly cast_by: string | null
  readonly created_at: string
}

export async function addVotes(pg: Database, votes: readonly BulkVote[]): Promise<void> {
  for (const some of statementsOf(votes)) {
    await pg.query(
      `insert into votes (idea_id, enduser_id, via_idea_id, email, cast_by, created_at)
       select idea_id, enduser_id, via_idea_id, email, cast_by, created_at
       from jsonb_to_recordset($1::jsonb) as n (idea_id uuid, enduser_id uuid, via_idea_id uuid,
         email text, cast_by text, created_at timestamptz)
       on conflict do nothing`,
      [JSON.stringify(some)],
    )
  }
}

export interface BulkComment {
  readonly id: string
  readonly project_id: string
  readonly idea_id: string
  readonly parent_id: string | null
  readonly root_id: string
  readonly depth: number
  readonly body: string
  readonly author_id: string | null
  readonly author_name: string | null
  readonly author_email: string | null
  readonly is_team: boolean
  readonly moderation: string
  readonly deleted_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** Parents first, because each row refers to comments of the same or an earlier statement. */
export async function addComments(pg: Database, comments: readonly BulkComment[]): Promise<void> {
  const parentsFirst = comments.toSorted((a, b) => a.depth - b.depth)
  for (const some of statementsOf(parentsFirst)) {
    await pg.query(
      `insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body, author_id, author_name,
         author_email, is_team, moderation, deleted_at, created_at, updated_at)
       select * from jsonb_to_recordset($1::jsonb) as n (id uuid, project_id uuid, idea_id uuid, parent_id uuid,
         root_id uuid, depth int, body text, author_id uuid, author_name text, author_email text,
         is_team boolean, moderation text, deleted_at timestamptz, created_at timestamptz,
         updated_at timestamptz)`,
      [JSON.stringify(some)],
    )
  }
}

export async function addEvents(pg: Database, events: readonly object[]): Promise<void> {
  for (const some of statementsOf(events)) {
    await pg.query(
      `insert into idea_events (id, idea_id, kind, from_status, to_status, actor, details, at)
       select * from jsonb_to_recordset($1::jsonb) as n (id uuid, idea_id uuid, kind text, from_status text,
         to_status text, actor text, details jsonb, at timestamptz)`,
      [JSON.stringify(some)],
    )
  }
}

const rowsPerStatement = 2_000

/** Splits rows into statements of bounded size. */
function* statementsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    yield rows.slice(at, at + rowsPerStatement)
  }
}

/** Recounts ideas that were imported or that got votes. */
export async function countImported(pg: Database, ideaIds: readonly string[]): Promise<void> {
  await pg.query(
    'select from idea_counts where idea_id = any($1::uuid[]) order by idea_id for update',
    [ideaIds],
  )
  await pg.query(
    `update idea_counts c set vote_count = votes_of_idea(c.idea_id), comment_count = (
       select count(*) from comments m
       where m.idea_id = c.idea_id and m.moderation = 'published' and m.deleted_at is null)
     where c.idea_id = any($1::uuid[])`,
    [ideaIds],
  )
}
