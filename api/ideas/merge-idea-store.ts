/**
 * What a merge and its undoing move. Each function is one query of a transaction that holds `lockMergingIdeas` and has locked the
 * ideas, so that votes for them wait. The votes of a duplicate stay where they were cast, and the idea that it duplicates gets copies
 * that name where they come from (`via_idea_id`). A copy never stands anywhere else than on the idea that its own one duplicates.
 */
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../database.ts'

/** Until the transaction ends, nobody else merges or splits ideas of the project. */
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

/** In the order of their ids, as everybody who holds several does. */
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

/** The idea itself, or its original when it is a duplicate. Undefined: it is not of this project. */
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

/** All votes of an idea for the one that it duplicates from now on. Whoever voted for both keeps the vote they cast. */
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
 * Copies that came from ideas which are duplicates of `to` no more. Who also voted for one that stays keeps a copy, of that vote.
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

/** The votes that were cast for ideas, for the one that they duplicate again. */
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

/** Call it again once `duplicate_of` has moved: imported votes of a duplicate count for the idea that it duplicates. */
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

/** They were duplicates of another idea, and now are of this one. */
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

/** A duplicate has been looked at, so one that waited is published by it: its link leads on. */
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

/** The ideas that came along when this one was merged last and were not merged by themselves since. */
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
