/** Stores a batch of ideas with votes, comments, tags, history and users, in one transaction. */
import { v7 as uuidv7 } from 'uuid'
import type { FileIdea, FileUser } from '#schemas/rest/portal/idea-file.ts'
import { shownName } from '#schemas/visible-text.ts'
import type { Database } from '../../database.ts'
import { inSlices, mapInSlices } from '../../files/slices.ts'
import { giveVotes, lockIdeas, lockMergingIdeas } from '../merge-idea-store.ts'
import {
  addComments,
  addEvents,
  addIdeas,
  addIdeaTags,
  addNotificationOptouts,
  addVotes,
  type BulkComment,
  type BulkVote,
  countImported,
  ensureEndUsers,
} from './idea-import-store.ts'
import type { PlannedIdea } from './plan-import.ts'

export interface StoreOf {
  readonly projectId: string
  readonly now: Date
  readonly ideas: readonly PlannedIdea[]
  readonly slugOf: ReadonlyMap<string, string>
  /** New ids by the ids of the file. */
  readonly idOf: ReadonlyMap<string, string>
  /** Originals of all duplicates that this import stores. */
  readonly originals: ReadonlyMap<string, string>
  /** Copies of votes of a duplicate that is not stored yet, by that duplicate. */
  readonly held: Map<string, BulkVote[]>
}

const nameCharactersMax = 255

/**
 * Stores users first, then ideas, then tags: writes of visitors lock in this order too. One idea
 * may have hundreds of thousands of voters and comments, so rows are built in slices.
 */
export async function storeIdeas(pg: Database, of: StoreOf): Promise<void> {
  const { projectId, ideas, now } = of
  const rowOf = await ensureEndUsers(pg, { projectId, users: await usersOf(ideas), now })
  // Before the ideas, because emails about an idea may be sent as soon as it exists.
  const optouts = ideas.flatMap(({ idea }) => idea.notice_optouts)
  await addNotificationOptouts(pg, { projectId, optouts, now })
  const duplicates = ideas.filter(({ duplicateOf }) => duplicateOf !== null)
  const targets = [...new Set(duplicates.map(({ duplicateOf }) => duplicateOf!))]
  if (targets.length > 0) {
    await lockMergingIdeas(pg, projectId)
    await lockIdeas(pg, { projectId, ids: targets })
  }
  await addIdeas(pg, { projectId, ideas: ideas.map((idea) => ideaRow(idea, rowOf, now)) })
  const tagged = ideas.flatMap(({ id, idea }) =>
    [...new Set(idea.tags.map((name) => of.slugOf.get(name)!))].map((slug) => ({ id, slug })),
  )
  await addIdeaTags(pg, { projectId, tagged })
  await addVotes(pg, await votesNow(of, rowOf))
  for (const { id, duplicateOf } of duplicates) await giveVotes(pg, { from: id, to: duplicateOf! })
  await addComments(pg, await commentsOf(of, rowOf))
  await addEvents(
    pg,
    ideas.flatMap((idea) => eventRows(idea, of)),
  )
  await countImported(pg, [...ideas.map(({ id }) => id), ...targets])
}

/** Users that the file lists, and authors, voters and commenters that it does not list. */
async function usersOf(ideas: readonly PlannedIdea[]): Promise<Map<string, Partial<FileUser>>> {
  const users = new Map<string, Partial<FileUser>>()
  for (const { idea } of ideas) {
    for await (const user of inSlices(idea.users)) {
      const name = shownName(user.name, nameCharactersMax) ?? null
      users.set(user.enduser_id, { ...user, name })
    }
  }
  const listed = new Set(users.keys())
  const mention = (enduserId: string | null | undefined, given?: string | null) => {
    if (!enduserId || listed.has(enduserId)) return
    const name = users.get(enduserId)?.name ?? shownName(given, nameCharactersMax) ?? null
    users.set(enduserId, { name })
  }
  for (const { idea } of ideas) {
    mention(idea.author_id, idea.author_name)
    for await (const { enduser_id } of inSlices(idea.voters)) mention(enduser_id)
    for await (const { author_id, author_name } of inSlices(idea.comments)) {
      mention(author_id, author_name)
    }
  }
  return users
}

function ideaRow(
  { id, idea, duplicateOf }: PlannedIdea,
  rowOf: ReadonlyMap<string, string>,
  now: Date,
) {
  const createdAt = idea.created_at ?? now.toISOString()
  return {
    id,
    title: idea.title,
    description: idea.description,
    status: idea.status,
    moderation: idea.moderation,
    status_before_merge: duplicateOf === null ? null : (idea.status_before_merge ?? null),
    duplicate_of: duplicateOf,
    imported_votes: idea.imported_votes,
    author_id: idea.author_id ? (rowOf.get(idea.author_id) ?? null) : null,
    author_email: idea.author_email ?? null,
    response: idea.response ?? null,
    response_by: idea.response ? (shownName(idea.response_by, nameCharactersMax) ?? null) : null,
    response_at: idea.response ? (idea.response_at ?? createdAt) : null,
    created_at: createdAt,
    updated_at: idea.updated_at ?? createdAt,
  }
}

/** Votes of these ideas, and held copies whose duplicate is among them. */
async function votesNow(
  { ideas, idOf, originals, held, now }: StoreOf,
  rowOf: ReadonlyMap<string, string>,
) {
  const votes: BulkVote[] = []
  for (const { id, idea } of ideas) {
    for await (const voter of inSlices(idea.voters)) {
      const via = voter.via_idea_id ? idOf.get(voter.via_idea_id) : undefined
      const isCopy = via !== undefined && originals.get(via) === id
      const vote: BulkVote = {
        idea_id: id,
        enduser_id: rowOf.get(voter.enduser_id)!,
        via_idea_id: isCopy ? via : null,
        email: voter.email ?? null,
        cast_by: voter.cast_by ?? null,
        created_at: voter.voted_at ?? idea.created_at ?? now.toISOString(),
      }
      if (!isCopy) {
        votes.push(vote)
        continue
      }
      const copies = held.get(via) ?? []
      copies.push(vote)
      held.set(via, copies)
    }
  }
  for (const { id } of ideas) {
    for await (const vote of inSlices(held.get(id) ?? [])) votes.push(vote)
    held.delete(id)
  }
  return votes
}

async function commentsOf(
  { ideas, projectId, now }: StoreOf,
  rowOf: ReadonlyMap<string, string>,
): Promise<BulkComment[]> {
  const rows: BulkComment[] = []
  for (const idea of ideas) {
    const own = await commentRows(idea, { projectId, rowOf, now })
    for await (const row of inSlices(own)) rows.push(row)
  }
  return rows
}

async function commentRows(
  { id: ideaId, idea }: PlannedIdea,
  of: { projectId: string; rowOf: ReadonlyMap<string, string>; now: Date },
): Promise<BulkComment[]> {
  const idOf = new Map<FileIdea['comments'][number], string>()
  const byId = new Map<string, FileIdea['comments'][number]>()
  for await (const comment of inSlices(idea.comments)) {
    idOf.set(comment, uuidv7())
    if (comment.id) byId.set(comment.id, comment)
  }
  const parentOf = (comment: FileIdea['comments'][number]) =>
    comment.parent_id ? byId.get(comment.parent_id) : undefined
  const places = new Map<FileIdea['comments'][number], { root: string; depth: number }>()
  // Each comment is placed once, at any depth of its thread.
  const placeOf = (comment: FileIdea['comments'][number]) => {
    const unplaced: FileIdea['comments'][number][] = []
    let at: FileIdea['comments'][number] | undefined = comment
    for (; at !== undefined && !places.has(at); at = parentOf(at)) unplaced.push(at)
    let above = at && places.get(at)
    for (const next of unplaced.reverse()) {
      above = { root: above?.root ?? idOf.get(next)!, depth: (above?.depth ?? 0) + 1 }
      places.set(next, above)
    }
    return places.get(comment)!
  }
  return mapInSlices(idea.comments, (comment) => {
    const { root, depth } = placeOf(comment)
    const parent = parentOf(comment)
    const createdAt = comment.created_at ?? idea.created_at ?? of.now.toISOString()
    return {
      id: idOf.get(comment)!,
      project_id: of.projectId,
      idea_id: ideaId,
      parent_id: parent === undefined ? null : idOf.get(parent)!,
      root_id: root,
      depth,
      body: comment.deleted_at ? '' : comment.body,
      author_id: comment.author_id ? (of.rowOf.get(comment.author_id) ?? null) : null,
      author_name: shownName(comment.author_name, nameCharactersMax) ?? null,
      author_email: comment.author_email ?? null,
      is_team: comment.is_team,
      moderation: comment.moderation,
      deleted_at: comment.deleted_at ?? null,
      created_at: createdAt,
      updated_at: comment.updated_at ?? createdAt,
    }
  })
}

/**
 * History of an idea. An idea of another service gets its first entry, and a duplicate the entry
 * that undoing its merge needs.
 */
function eventRows({ id, idea, duplicateOf }: PlannedIdea, { idOf, now }: StoreOf) {
  const at = idea.created_at ?? now.toISOString()
  const first = { from_status: null, actor: 'import', details: {}, at }
  const before = idea.status_before_merge ?? 'Open'
  const events =
    idea.events.length > 0
      ? idea.events
      : [
          { ...first, kind: 'created', to_status: duplicateOf === null ? idea.status : before },
          ...(duplicateOf === null
            ? []
            : [
                {
                  kind: 'merged',
                  from_status: before,
                  to_status: 'Duplicate',
                  actor: 'import',
                  details: { into: duplicateOf, brought: [] },
                  at,
                },
              ]),
        ]
  return events.map((event) => ({
    id: uuidv7(),
    idea_id: id,
    kind: event.kind,
    from_status: event.from_status ?? null,
    to_status: event.to_status ?? null,
    actor: event.actor ?? null,
    details: withNewIds(event.details, idOf),
    at: event.at,
  }))
}

/** Replaces ids of ideas in the details of merges. */
function withNewIds(details: unknown, idOf: ReadonlyMap<string, string>): unknown {
  if (typeof details === 'string') return idOf.get(details) ?? details
  if (Array.isArray(details)) return details.map((one) => withNewIds(one, idOf))
  if (typeof details !== 'object' || details === null) return details
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, withNewIds(value, idOf)]),
  )
}
