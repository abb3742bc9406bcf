/**
 * Makes an idea a duplicate of another one, and undoes it. Afterwards the original has the votes of
 * both and each voter once; every duplicate points at an idea that is not a duplicate itself. Ideas
 * that were duplicates of the merged one move with it, and move back with it.
 *
 *   X ─▶ A          merge A into B          X ─▶ B ◀─ A          unmerge A          X ─▶ A    B
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { planNotifications } from '../portal/notifications/notification-store.ts'
import { addIdeaEvent } from './idea-store.ts'
import {
  findMergeTarget,
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

/** An idea that is merged or unmerged, in the transaction of the caller. */
export interface DuplicateMove {
  readonly projectId: string
  readonly ideaId: string
  /** Name of the person who does it, for the history of the idea. */
  readonly actor: string
  readonly now: Date
}

/**
 * Merges the idea into `into`, or into the original of `into` when that one is a duplicate. Returns
 * the id of the idea that has the votes now.
 */
export async function makeDuplicate(
  pg: Database,
  { projectId, ideaId, actor, now, into }: DuplicateMove & { into: string },
): Promise<string> {
  await lockMergingIdeas(pg, projectId)
  const target = await findMergeTarget(pg, { projectId, into })
  if (target === undefined) throw invalidField('into', 'must be an idea of this project')
  if (target === ideaId)
    throw invalidField('into', 'must be another idea that is not a duplicate of this one')
  const brought = await listDuplicates(pg, ideaId)
  const ideas = await lockIdeas(pg, { projectId, ids: [ideaId, target, ...brought] })
  const source = ideas.get(ideaId)
  if (source === undefined) throw new CodedError('not_found')
  if (source.moderation === 'rejected') {
    throw new CodedError('conflict', { message: 'A rejected idea cannot be merged.' })
  }
  if (ideas.get(target)?.moderation !== 'published')
    throw invalidField('into', 'must be a published idea')
  if (source.duplicateOf === target) return target

  if (source.duplicateOf !== null) {
    await leaveOriginal(pg, { projectId, original: source.duplicateOf, leaving: [ideaId] })
  }
  await giveVotes(pg, { from: ideaId, to: target })
  await repoint(pg, { ideaIds: brought, to: target, now })
  await setDuplicate(pg, { ideaId, of: target, now })
  const left = source.duplicateOf === null ? [] : [source.duplicateOf]
  await recountVotes(pg, [ideaId, target, ...left])
  await addIdeaEvent(pg, {
    ideaId,
    kind: 'merged',
    fromStatus: source.status,
    toStatus: 'Duplicate',
    actor,
    details: { into: target, brought },
    now,
  })
  await planNotifications(pg, { kind: 'status', ideaId, now })
  return target
}

/**
 * Undoes the merge of an idea, which gets `status` or, without one, its status before the merge.
 */
export async function undoDuplicate(
  pg: Database,
  {
    projectId,
    ideaId,
    actor,
    now,
    status,
  }: DuplicateMove & { status?: Exclude<IdeaStatus, 'Duplicate'> },
): Promise<void> {
  await lockMergingIdeas(pg, projectId)
  const [idea] = (await lockIdeas(pg, { projectId, ids: [ideaId] })).values()
  if (idea === undefined) throw new CodedError('not_found')
  const original = idea.duplicateOf
  if (original === null) throw new CodedError('conflict', { message: 'The idea is not merged.' })
  const back = await listBroughtAlong(pg, { ideaId, to: original })
  await leaveOriginal(pg, { projectId, original, leaving: [ideaId, ...back] })
  await repoint(pg, { ideaIds: back, to: ideaId, now })
  await giveOwnVotes(pg, { from: back, to: ideaId })
  const toStatus = status ?? idea.statusBeforeMerge ?? 'Open'
  await unsetDuplicate(pg, { ideaId, status: toStatus, now })
  await recountVotes(pg, [ideaId, original])
  await addIdeaEvent(pg, {
    ideaId,
    kind: 'unmerged',
    fromStatus: 'Duplicate',
    toStatus,
    actor,
    details: { from: original, back },
    now,
  })
  await planNotifications(pg, { kind: 'status', ideaId, now })
}

/**
 * Votes for the original wait until its count is right again. Ideas are locked in the order of
 * their ids everywhere else; here that order does not matter, because one transaction of a project
 * merges at a time and a vote holds a single idea.
 */
async function leaveOriginal(
  pg: Database,
  {
    projectId,
    original,
    leaving,
  }: { projectId: string; original: string; leaving: readonly string[] },
): Promise<void> {
  await lockIdeas(pg, { projectId, ids: [original] })
  await takeBackVotes(pg, { to: original, leaving })
  await recountVotes(pg, [original])
}
