/**
 * Queries of a merge and of its undoing, in a transaction that holds `lockMergingIdeas` and has
 * locked the ideas, so that votes for them wait. Votes of a duplicate stay on it, and its original
 * gets copies that name it (`via_idea_id`). A copy is always on the original of the idea that it
 * names.
 */
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../database.ts'

/** Serializes merges of a project and their undoing until the transaction ends. */
export async function lockMergingIdeas(pg: Database, projectId: string): Promise<void> {
  await pg.query(`select pg_advisory_xact_lock(hashtextextended('idea merging ' || $1, 0))`, [
    projectId,
  ])
}

export interface LockedIdea {
  readonly id: string
  readonly status: IdeaStatus
  readonly moderation: 'published' | 'pending' | 'rejected'
  readonly duplicateOf: string | null
  readonly statusBeforeMerge: Exclude<IdeaStatus, 'Duplicate'> | null
}

/** Locks ideas in the order of their ids, as all transactions do that lock several. */
export async function lockIdeas(
  pg: Database,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<Map<string, LockedIdea>> {
  const { rows } = await pg.query<LockedIdea>(
    `select id, status, moderation, duplicate_of "duplicateOf", status_before_merge "statusBeforeMerge"
     from ideas where project_id = $1 and id = any($2::uuid[]) order by id for update`,
    [projectId, ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * The idea itself, or its original when it is a duplicate. Undefined: it is not of this project.
 */
export async function findMergeTarget(
  pg: Database,
  { projectId, into }: { projectId: string; into: string },
): Promise<string | undefined> {
  const { rows } = await pg.query<{ id: string }>(
    'select coalesce(duplicate_of, id) as id from ideas where id = $1 and project_id = $2',
    [into, projectId],
  )
  return rows[0]?.id
}

export async function listDuplicates(pg: Database, ideaId: string): Promise<string[]> {
  const { rows } = await pg.query<{ id: string }>(
    'select id from ideas where duplicate_of = $1 order by id',
    [ideaId],
  )
  return rows.map(({ id }) => id)
}

/**
 * Copies the votes of an idea to its original. A user who voted for both keeps the own vote there.
 */
export async function giveVotes(
  pg: Database,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await pg.query(
    `insert into votes (idea_id, enduser_id, via_idea_id, email, cast_by, created_at)
     select $2, enduser_id, coalesce(via_idea_id, $1), email, cast_by, created_at from votes where idea_id = $1
     on conflict do nothing`,
    [from, to],
  )
  await pg.query('delete from votes where idea_id = $1 and via_idea_id is not null', [from])
}

/**
 * Deletes copies of votes of ideas that are not duplicates of `to` any more. A user who also
 * voted for a remaining duplicate keeps a copy of that vote.
 */
export async function takeBackVotes(
  pg: Database,
  { to, leaving }: { to: string; leaving: readonly string[] },
): Promise<void> {
  const { rows } = await pg.query<{ enduser_id: string }>(
    'delete from votes where idea_id = $1 and via_idea_id = any($2::uuid[]) returning enduser_id',
    [to, leaving],
  )
  await pg.query(
    `insert into votes (idea_id, enduser_id, via_idea_id, email, cast_by, created_at)
     select distinct on (v.enduser_id) $1, v.enduser_id, v.idea_id, v.email, v.cast_by, v.created_at
     from ideas d join votes v on v.idea_id = d.id and v.via_idea_id is null
     where d.duplicate_of = $1 and d.id <> all($2::uuid[]) and v.enduser_id = any($3::uuid[])
     order by v.enduser_id, v.created_at, v.idea_id on conflict do nothing`,
    [to, leaving, rows.map(({ enduser_id }) => enduser_id)],
  )
}

/** Copies the own votes of ideas to the idea whose duplicates they are again. */
export async function giveOwnVotes(
  pg: Database,
  { from, to }: { from: readonly string[]; to: string },
): Promise<void> {
  await pg.query(
    `insert into votes (idea_id, enduser_id, via_idea_id, email, cast_by, created_at)
     select distinct on (enduser_id) $2, enduser_id, idea_id, email, cast_by, created_at from votes
     where idea_id = any($1::uuid[]) and via_idea_id is null
     order by enduser_id, created_at, idea_id on conflict do nothing`,
    [from, to],
  )
}

/**
 * Call it after `duplicate_of` has changed: imported votes of a duplicate count for its original.
 */
export async function recountVotes(pg: Database, ideaIds: readonly string[]): Promise<void> {
  await pg.query(
    'select from idea_counts where idea_id = any($1::uuid[]) order by idea_id for update',
    [ideaIds],
  )
  await pg.query(
    `update idea_counts c set vote_count = votes_of_idea(c.idea_id) where c.idea_id = any($1::uuid[])`,
    [ideaIds],
  )
}

/** Makes duplicates of another idea duplicates of `to`. */
export async function repoint(
  pg: Database,
  { ideaIds, to, now }: { ideaIds: readonly string[]; to: string; now: Date },
): Promise<void> {
  await pg.query('update ideas set duplicate_of = $2, updated_at = $3 where id = any($1::uuid[])', [
    ideaIds,
    to,
    now,
  ])
}

/** Publishes a pending idea too, so that its link leads to the original. */
export async function setDuplicate(
  pg: Database,
  { ideaId, of, now }: { ideaId: string; of: string; now: Date },
): Promise<void> {
  await pg.query(
    `update ideas set status_before_merge = case when status = 'Duplicate' then status_before_merge else status end,
       status = 'Duplicate', duplicate_of = $2, moderation = 'published', updated_at = $3
     where id = $1`,
    [ideaId, of, now],
  )
}

export async function unsetDuplicate(
  pg: Database,
  { ideaId, status, now }: { ideaId: string; status: IdeaStatus; now: Date },
): Promise<void> {
  await pg.query(
    `update ideas set status = $2, duplicate_of = null, status_before_merge = null, updated_at = $3
     where id = $1`,
    [ideaId, status, now],
  )
}

/**
 * Ideas that the last merge of this one moved with it, and that were not merged on their own since.
 */
export async function listBroughtAlong(
  pg: Database,
  { ideaId, to }: { ideaId: string; to: string },
): Promise<string[]> {
  const { rows } = await pg.query<{ id: string }>(
    `with merged as (
       select id, at, details from idea_events where idea_id = $1 and kind = 'merged' order by at desc, id desc limit 1
     )
     select i.id from merged, jsonb_array_elements_text(details -> 'brought') as brought
       join ideas i on i.id = brought::uuid
     where i.duplicate_of = $2 and not exists (
       select from idea_events e where e.idea_id = i.id and e.kind = 'merged' and (e.at, e.id) > (merged.at, merged.id))
     order by i.id`,
    [ideaId, to],
  )
  return rows.map(({ id }) => id)
}
