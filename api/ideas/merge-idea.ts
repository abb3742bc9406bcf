/**
 * Merging an idea into the one that it duplicates, and taking that back. Afterwards the target has the votes of both and each voter
 * once; every duplicate points at an idea that is none itself. Ideas that were duplicates of the merged one come along, and go back
 * with it.
 *
 *   X ─▶ A          merge A into B          X ─▶ B ◀─ A          take A back          X ─▶ A    B
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { planNotifications } from '../portal/notices/notification-store.ts'
import { addIdeaEvent } from './idea-store.ts'
import {
  giveOwnVotes,
  giveVotes,
  listBroughtAlong,
  listDuplicates,
  lockIdeas,
  lockMergingIdeas,
  recountVotes,
  repoint,
  setDuplicate,
  takeBackVotes,
  unsetDuplicate,
} from './merge-idea-store.ts'

export interface MergeOf {
  readonly projectId: string
  readonly ideaId: string
  /** Who does it, for the idea's history. */
  readonly actor: string
  readonly now: Date
}

/** In the caller's transaction. Returns the idea that has the votes now: the one named, or what that one duplicates. */
export async function mergeIdea(
  pg: Database,
  { projectId, ideaId, actor, now, into }: MergeOf & { into: string },
): Promise<string> {
  await lockMergingIdeas(pg, projectId)
  const target = await findTarget(pg, { projectId, into })
  if (target === ideaId)
    throw invalidField('into', 'must be another idea, and no duplicate of this one')
  const brought = await listDuplicates(pg, ideaId)
  const ids = [ideaId, target, ...brought]
  const ideas = await lockIdeas(pg, { projectId, ids })
  const source = ideas.get(ideaId)
  if (source === undefined) throw new CodedError('not_found')
  if (source.moderation === 'rejected')
    throw conflict('An idea that was rejected cannot be merged.')
  if (ideas.get(target)?.moderation !== 'published')
    throw invalidField('into', 'must be a published idea')
  if (source.duplicateOf === target) return target

  if (source.duplicateOf !== null) {
    const { duplicateOf: to } = source
    await leave(pg, { projectId, to, leaving: [ideaId] })
  }
  await giveVotes(pg, { from: ideaId, to: target })
  await repoint(pg, { ideaIds: brought, to: target, now })
  await setDuplicate(pg, { ideaId, of: target, now })
  const left = source.duplicateOf === null ? [] : [source.duplicateOf]
  await recountVotes(pg, [ideaId, target, ...left])
  await addIdeaEvent(pg, {
    ...{ ideaId, kind: 'merged', fromStatus: source.status, toStatus: 'Duplicate', actor, now },
    details: { into: target, brought },
  })
  await planNotifications(pg, { kind: 'status', ideaId, now })
  return target
}

/** In the caller's transaction. The idea gets its own status back, or the one that is given. */
export async function unmergeIdea(
  pg: Database,
  {
    projectId,
    ideaId,
    actor,
    now,
    status,
  }: MergeOf & { status?: Exclude<IdeaStatus, 'Duplicate'> },
): Promise<void> {
  await lockMergingIdeas(pg, projectId)
  const [first] = (await lockIdeas(pg, { projectId, ids: [ideaId] })).values()
  if (first === undefined) throw new CodedError('not_found')
  if (first.duplicateOf === null) throw conflict('The idea is no duplicate.')
  const of = first.duplicateOf
  const back = await listBroughtAlong(pg, { ideaId, to: of })
  await leave(pg, { projectId, to: of, leaving: [ideaId, ...back] })
  await repoint(pg, { ideaIds: back, to: ideaId, now })
  await giveOwnVotes(pg, { from: back, to: ideaId })
  const toStatus = status ?? first.statusBeforeMerge ?? 'Open'
  await unsetDuplicate(pg, { ideaId, status: toStatus, now })
  await recountVotes(pg, [ideaId, of])
  await addIdeaEvent(pg, {
    ...{ ideaId, kind: 'unmerged', fromStatus: 'Duplicate', toStatus, actor, now },
    details: { from: of, back },
  })
  await planNotifications(pg, { kind: 'status', ideaId, now })
}

/**
 * Votes for the idea that is left wait until its count is right again. The order of ids may be broken here: one transaction of a
 * project merges at a time, and a vote holds a single idea.
 */
async function leave(
  pg: Database,
  { projectId, to, leaving }: { projectId: string; to: string; leaving: readonly string[] },
): Promise<void> {
  await lockIdeas(pg, { projectId, ids: [to] })
  await takeBackVotes(pg, { to, leaving })
  await recountVotes(pg, [to])
}

/** One hop: no duplicate points at another one. */
async function findTarget(
  pg: Database,
  { projectId, into }: { projectId: string; into: string },
): Promise<string> {
  const { rows } = await pg.query<{ id: string }>(
    'select coalesce(duplicate_of, id) as id from ideas where id = $1 and project_id = $2',
    [into, projectId],
  )
  const target = rows[0]?.id
  if (target === undefined) throw invalidField('into', 'must be an idea of this project')
  return target
}

function conflict(message: string): CodedError {
  return new CodedError('conflict', { message })
}
