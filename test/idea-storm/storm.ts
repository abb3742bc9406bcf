/**
 * Makes random concurrent moves on a few ideas: votes, withdrawn votes, merges, undone merges, new
 * statuses and moderation. Afterwards every stored count must equal a recount. A move may only fail
 * with an error that a person would see (an impossible merge); a deadlock is a failure.
 */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, commandLineActor } from '../../api/audit/audit-store.ts'
import { createPostgres, type Postgres } from '../../api/database.ts'
import { addIdea } from '../../api/ideas/idea-store.ts'
import { mergeIdea } from '../../api/ideas/merge-idea.ts'
import { unmergeIdea } from '../../api/ideas/unmerge-idea.ts'
import { updateIdea } from '../../api/ideas/update-idea.ts'
import { addVote, removeVote, votingTransaction } from '../../api/ideas/votes/vote-store.ts'
import { addOrganization } from '../../api/organization/organization-store.ts'
import { addProject } from '../../api/projects/project-store.ts'
import { type Random, seededRandom } from '../../bench/load/random.ts'
import { recount } from './recount.ts'

export interface StormOptions {
  readonly postgresUrl: string
  readonly seed: number
  readonly moveCount: number
}

export interface StormReport {
  /** Number of each kind of move, and how many of them were refused with a reason. */
  readonly moves: Readonly<Record<string, number>>
  readonly refused: Readonly<Record<string, number>>
  /** Stored counts that differ from the recount. */
  readonly errors: readonly string[]
}

const ideaCount = 40
const userCount = 300
const movesAtOnce = 16
const statuses = ['Open', 'Planned', 'Started', 'Completed', 'Declined'] as const

interface Storm {
  readonly pg: Postgres
  readonly actor: Actor
  readonly projectId: string
  readonly ideas: readonly string[]
  readonly users: readonly string[]
  readonly random: Random
}

export async function runStorm(options: StormOptions): Promise<StormReport> {
  const pool = createPool(
    { url: options.postgresUrl, applicationName: 'storm', connectionsMax: movesAtOnce },
    createLogger('storm', 'silent'),
  )
  try {
    const storm = await prepare(pool, seededRandom(options.seed))
    const moves: Record<string, number> = {}
    const refused: Record<string, number> = {}
    let begun = 0
    const lane = async () => {
      while (begun < options.moveCount) {
        begun += 1
        const { name, make } = nextMove(storm)
        moves[name] = (moves[name] ?? 0) + 1
        try {
          await make()
        } catch (error) {
          if (!(error instanceof CodedError) || !expected.has(error.code)) throw error
          refused[name] = (refused[name] ?? 0) + 1
        }
      }
    }
    await Promise.all(Array.from({ length: movesAtOnce }, lane))
    return { moves, refused, errors: await recount(storm.pg, storm.projectId) }
  } finally {
    await pool.end()
  }
}

const expected = new Set(['validation_failed', 'conflict'])

async function prepare(pool: Pool, random: Random): Promise<Storm> {
  const { id: organizationId } = await addOrganization(pool, { name: 'Storm' })
  const { id: projectId } = await addProject(pool, { organizationId, name: 'Storm' })
  const pg = createPostgres(pool)
  const ideas = Array.from({ length: ideaCount }, () => uuidv7())
  const now = new Date(0)
  for (const id of ideas) {
    const texts = { title: `Idea ${id}`, description: 'x', authorId: null, authorEmail: null }
    await addIdea(pg, { id, projectId, ...texts, status: 'Open', moderation: 'published', now })
  }
  const users = Array.from({ length: userCount }, () => uuidv7())
  await pg.query(
    'insert into endusers (id, project_id, enduser_id) select id, $2, id::text from unnest($1::uuid[]) id',
    [users, projectId],
  )
  await pg.query(
    `insert into tags (id, project_id, slug, name, color) select gen_random_uuid(), $1, 'tag-' || n, 'x', '#000000'
     from generate_series(1, 4) n`,
    [projectId],
  )
  return { pg, actor: commandLineActor(organizationId), projectId, ideas, users, random }
}

function nextMove(storm: Storm): { name: string; make: () => Promise<unknown> } {
  const { pg, actor, projectId, random } = storm
  const ctx = { pg, clock: systemClock }
  const pick = (texts: readonly string[]) => texts[random.below(texts.length)]!
  const vote = { projectId, ideaId: pick(storm.ideas), enduserId: pick(storm.users) }
  const idea = { projectId, ideaId: vote.ideaId }
  const dice = random.below(1_000)
  if (dice < 600)
    return { name: 'vote', make: () => votingTransaction(pg, (tx) => addVote(tx, vote)) }
  if (dice < 850)
    return { name: 'unvote', make: () => votingTransaction(pg, (tx) => removeVote(tx, vote)) }
  if (dice < 920) {
    const into = pick(storm.ideas)
    return { name: 'merge', make: () => mergeIdea(ctx, actor, { ...idea, into }) }
  }
  if (dice < 970) return { name: 'unmerge', make: () => unmergeIdea(ctx, actor, idea) }
  if (dice < 985) {
    const tags = [`tag-${1 + random.below(4)}`, `tag-${1 + random.below(4)}`]
    const change = { status: random.pick(statuses), tags }
    return {
      name: 'change',
      make: () => updateIdea(ctx, actor, { ...idea, change, signature: null }),
    }
  }
  const moderation = random.pick(['published', 'rejected'] as const)
  return {
    name: 'moderate',
    make: () =>
      pg.query('update ideas set moderation = $2 where id = $1', [vote.ideaId, moderation]),
  }
}
