/**
 * Adds one comment, of a visitor or of the team: finds its place in the thread, plans the email.
 */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { repliesPerThreadMax } from '#schemas/rest/portal/comment.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { planNotifications } from '../portal/notifications/notification-store.ts'
import { feedIdeaComment } from '../webhooks/feed/feed-idea.ts'
import { countRepliesLocked, findParent, insertComment } from './comment-store.ts'

export interface CommentToAdd {
  readonly projectId: string
  readonly ideaId: string
  /** The id in the body of the request, not checked yet. */
  readonly parentId: string | null | undefined
  readonly body: string
  /** Null: the team. */
  readonly authorId: string | null
  readonly authorName: string | null
  readonly authorEmail: string | null
  readonly moderation: 'published' | 'pending'
  readonly now: Date
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** In the transaction of the caller, which has locked the idea. Returns the id of the comment. */
export async function addComment(pg: Database, comment: CommentToAdd): Promise<string> {
  const { parentId: _given, ...rest } = comment
  const { now } = comment
  const id = uuidv7({ msecs: now.getTime() })
  const place = await placeOf(pg, comment, id)
  await insertComment(pg, { ...rest, ...place, id, isTeam: comment.authorId === null })
  await feedIdeaComment(pg, { commentId: id, now })
  if (place.parentId !== null && comment.moderation === 'published') {
    await planNotifications(pg, { kind: 'reply', ideaId: place.ideaId, commentId: id, now })
  }
  return id
}

async function placeOf(pg: Database, { ideaId, parentId }: CommentToAdd, id: string) {
  if (parentId === null || parentId === undefined) {
    return { ideaId, parentId: null, rootId: id, depth: 1 }
  }
  const parent = uuidPattern.test(parentId)
    ? await findParent(pg, { ideaId, parentId: parentId.toLowerCase() })
    : undefined
  if (parent === undefined) {
    throw invalidField('parent_id', 'must name a published comment of this idea')
  }
  const replyCount = await countRepliesLocked(pg, parent.rootId)
  if (repliesPerThreadMax <= replyCount) throw new CodedError('thread_full')
  const { rootId, depth } = parent
  return { ideaId: parent.ideaId, parentId: parentId.toLowerCase(), rootId, depth: depth + 1 }
}
