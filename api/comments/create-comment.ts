/** One comment, by a user of the portal or by the team: where it hangs, whether it is seen at once, who is told. */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { repliesPerThreadMax } from '#schemas/rest/portal/comment.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { planNotifications } from '../portal/notices/notification-store.ts'
import { addComment, countRepliesLocked, findParent } from './comment-store.ts'

export interface CommentToCreate {
  readonly projectId: string
  readonly ideaId: string
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

/** In the caller's transaction, which has found the idea. Returns the new comment's id. */
export async function createComment(pg: Database, comment: CommentToCreate): Promise<string> {
  const id = uuidv7({ msecs: comment.now.getTime() })
  const { parentId: _given, ...rest } = comment
  const place = await placeOf(pg, comment, id)
  await addComment(pg, { ...rest, ...place, id, isTeam: comment.authorId === null })
  if (place.parentId !== null && comment.moderation === 'published') {
    const { now } = comment
    await planNotifications(pg, { kind: 'reply', ideaId: place.ideaId, commentId: id, now })
  }
  return id
}

async function placeOf(pg: Database, comment: CommentToCreate, id: string) {
  const { ideaId, parentId } = comment
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
