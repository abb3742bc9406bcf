/**
 * What the team changes of an idea, as one transaction: the idea, its history, who is told. A new status and a new response are one
 * notice. Saving what is there already changes nothing and tells nobody.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { IdeaChange } from '#schemas/rest/portal/idea-admin.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { planNotifications } from '../portal/notices/notification-store.ts'
import { deleteIdea, lockIdea, updateIdea } from './idea-admin-store.ts'
import { addIdeaEvent, readStatus } from './idea-store.ts'
import { type MergeOf, unmergeIdea } from './merge-idea.ts'
import { listDuplicates, lockIdeas, lockMergingIdeas } from './merge-idea-store.ts'
import { setTagsOfIdea } from './tag-of-idea-store.ts'

export interface ChangeOf extends MergeOf {
  readonly change: IdeaChange
  /** Who answers, as visitors are told; never an address. */
  readonly signature: string | null
}

/** Returns the names of the fields that are other than before. */
export async function changeIdea(
  pg: Database,
  { change, signature, ...of }: ChangeOf,
): Promise<string[]> {
  const { projectId, ideaId, actor, now } = of
  // A merge is taken back before the idea itself is locked: it locks several, in its own order.
  const changed: string[] = []
  if (change.status !== undefined && (await readStatus(pg, of)) === 'Duplicate') {
    await unmergeIdea(pg, { ...of, status: change.status })
    changed.push('status')
  }
  const before = await lockIdea(pg, { projectId, ideaId })
  if (before === undefined) throw new CodedError('not_found')
  if (change.status !== undefined && before.status === 'Duplicate') {
    throw new CodedError('conflict', { message: 'The idea was merged at this moment.' })
  }

  const { title, description, status, response, tags } = change
  const isNew = <T>(value: T | undefined, old: T): value is T =>
    value !== undefined && value !== old
  const fields = {
    ...(isNew(title, before.title) && { title }),
    ...(isNew(description, before.description) && { description }),
    ...(isNew(status, before.status) && { status }),
    ...(isNew(response, before.response) && {
      response: response === null ? null : { body: response, by: signature },
    }),
  }
  if (Object.keys(fields).length > 0) await updateIdea(pg, ideaId, { ...fields, now })
  if (tags !== undefined) {
    const unknown = await setTagsOfIdea(pg, { projectId, ideaId, slugs: tags })
    if (unknown.length > 0)
      throw invalidField('tags', `must be tags of the project: ${unknown[0]} is none`)
    await addIdeaEvent(pg, { ideaId, kind: 'tagged', actor, now, details: { tags } })
  }
  if (fields.title !== undefined || fields.description !== undefined) {
    const details = { before: { title: before.title, description: before.description } }
    await addIdeaEvent(pg, { ideaId, kind: 'edited', actor, now, details })
  }
  if (fields.status !== undefined) {
    const move = { fromStatus: before.status, toStatus: fields.status }
    await addIdeaEvent(pg, { ideaId, kind: 'status', ...move, actor, now })
  }
  if (fields.response !== undefined) {
    await addIdeaEvent(pg, { ideaId, kind: 'response', actor, now })
  }
  if (fields.status !== undefined || (fields.response ?? null) !== null) {
    await planNotifications(pg, { kind: 'status', ideaId, now })
  }
  return [...changed, ...Object.keys(fields), ...(tags === undefined ? [] : ['tags'])]
}

/** More than anybody merges into one idea by hand. */
const duplicatesMax = 200

/** Duplicates of the idea become ideas of their own again. Of a duplicate the votes that it gave stay where they are. */
export async function removeIdea(pg: Database, of: MergeOf): Promise<void> {
  await lockMergingIdeas(pg, of.projectId)
  const duplicates = await listDuplicates(pg, of.ideaId)
  if (duplicatesMax < duplicates.length) {
    const message = `The idea has more than ${duplicatesMax} duplicates: take merges back first.`
    throw new CodedError('conflict', { message })
  }
  // All of them before anything is counted: nobody waits for an idea while holding counts.
  await lockIdeas(pg, { projectId: of.projectId, ids: [of.ideaId, ...duplicates] })
  for (const ideaId of duplicates) await unmergeIdea(pg, { ...of, ideaId })
  if (!(await deleteIdea(pg, of))) throw new CodedError('not_found')
}
