/**
 * Votes. One per user and idea is the table's key, so the race is Postgres's to settle, and the counter moves in the statement in
 * which a row did. A vote on a duplicate is one on the idea that it duplicates. That one is held (`for key share`) while
 * the vote is cast: a merge takes it `for update`, so no vote slips into an idea that has just been merged.
 */
import type { Database, Postgres } from '../../database.ts'

export interface VoteOf {
  readonly projectId: string
  readonly ideaId: string
  /** Row of the user; null: not known here yet. */
  readonly enduserId: string | null
}

export interface NewVote extends VoteOf {
  readonly enduserId: string
  /** An address given with this vote alone. */
  readonly email?: string | null
  /** Who of the team voted for the user, and why. */
  readonly castBy?: string | null
}

/** A pending idea is there for its author alone, a rejected one for nobody. `moved`: it was merged at this moment, ask again. */
type Move = 'done' | 'nothing' | 'not_found' | 'moved'

const target = `
  named as (
    select coalesce(duplicate_of, id) as id from ideas
    where id = $1 and project_id = $2
      and (moderation = 'published' or (moderation = 'pending' and author_id = $3))
  ),
  target as (
    select ideas.id, duplicate_of from ideas where ideas.id = (select id from named) for key share
  )`
const outcome = `select case
    when not exists (select from target) then 'not_found'
    when exists (select from target where duplicate_of is not null) then 'moved'
    when exists (select from counted) then 'done' else 'nothing' end as move`

/** Within `votingTransaction`. */
export async function addVote(
  pg: Database,
  vote: NewVote,
): Promise<'created' | 'already_voted' | 'not_found'> {
  const done = await move(
    pg,
    `with ${target},
      cast_vote as (
        insert into votes (idea_id, enduser_id, email, cast_by)
        select id, $3, $4, $5 from target where duplicate_of is null
        on conflict do nothing returning idea_id
      ),
      counted as (
        update idea_counts set vote_count = vote_count + 1
        where idea_id in (select idea_id from cast_vote) returning idea_id
      ) ${outcome}`,
    [vote.ideaId, vote.projectId, vote.enduserId, vote.email ?? null, vote.castBy ?? null],
  )
  if (done === 'not_found') return 'not_found'
  return done === 'done' ? 'created' : 'already_voted'
}

/** Within `votingTransaction`. */
export async function removeVote(
  pg: Database,
  vote: VoteOf,
): Promise<'removed' | 'not_voted' | 'not_found'> {
  const done = await move(
    pg,
    `with ${target},
      taken_back as (
        delete from votes where enduser_id = $3
          and idea_id = (select id from target where duplicate_of is null) returning idea_id
      ),
      counted as (
        update idea_counts set vote_count = vote_count - 1
        where idea_id in (select idea_id from taken_back) returning idea_id
      ) ${outcome}`,
    [vote.ideaId, vote.projectId, vote.enduserId],
  )
  if (done === 'not_found') return 'not_found'
  return done === 'done' ? 'removed' : 'not_voted'
}

async function move(
  pg: Database,
  text: string,
  values: readonly unknown[],
): Promise<Exclude<Move, 'moved'>> {
  const { rows } = await pg.query<{ move: Move }>(text, values)
  const { move } = rows[0]!
  if (move === 'moved') throw new IdeaMoved()
  return move
}

/** The statement waited for the merge that held its idea, and found it a duplicate. */
class IdeaMoved extends Error {}

const triesMax = 10

/**
 * The transaction of a vote, begun anew when its idea was merged meanwhile: to look where the votes are now while still holding where
 * they were is how two transactions come to wait for each other.
 */
export async function votingTransaction<T>(
  pg: Postgres,
  work: (client: Database) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pg.transaction(work)
    } catch (error) {
      if (!(error instanceof IdeaMoved) || triesMax <= tries) throw error
    }
  }
}
