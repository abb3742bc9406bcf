/**
 * Votes. The key of the table allows one for each user and idea, so Postgres decides races, and
 * the statement that changes a row also changes the count. A vote for a duplicate counts for its
 * original, which is locked `for key share` meanwhile: a merge locks it `for update`, so no vote is
 * added to an idea that has just been merged.
 */
import type { Database, Postgres } from '../../database.ts'

export interface VoteOf {
  readonly projectId: string
  readonly ideaId: string
  /** Id of the user's row. Null while the user has no row. */
  readonly enduserId: string | null
}

export interface NewVote extends VoteOf {
  readonly enduserId: string
  /** An address for this vote only. */
  readonly email?: string | null
  /** The person of the team who voted for the user, and the note. */
  readonly castBy?: string | null
}

/**
 * `not_found` also for a pending idea of somebody else, and for a rejected one. `moved`: the idea
 * was merged at the same time; try again.
 */
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

/** Call it in a `votingTransaction`. */
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

/** Call it in a `votingTransaction`. */
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

/** The statement waited for a merge of its idea, which is a duplicate now. */
class IdeaMoved extends Error {}

const triesMax = 10

/**
 * The transaction of a vote, which starts again if its idea was merged meanwhile. Following the
 * merge while the old idea is still locked could deadlock.
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
