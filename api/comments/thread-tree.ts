/**
 * Builds threads from rows of comments. Rows are oldest first, and so is every level of the result.
 */
import { type Comment, shownDepthMax } from '#schemas/rest/portal/comment.ts'
import type { CommentRow } from './comment-store.ts'

/** Omits replies whose parent is not among the rows, because the visitor may not see the parent. */
export function threadTree(
  roots: readonly CommentRow[],
  replies: readonly CommentRow[],
): Comment[] {
  const rows = new Map([...roots, ...replies].map((row) => [row.id, row]))
  const below = new Map<string, CommentRow[]>()
  const shown: ShownAbove = new Map()
  for (const reply of replies) {
    const above = shownAbove(reply, rows, shown)
    if (above === undefined) continue
    const siblings = below.get(above)
    if (siblings === undefined) below.set(above, [reply])
    else siblings.push(reply)
  }
  return roots.flatMap((root) => commentOf(root, below) ?? [])
}

/** Results of `shownAbove`, so that a thread of thousands of levels is walked once. */
type ShownAbove = Map<CommentRow, CommentRow | undefined>

/** The parent, or the ancestor at `shownDepthMax` for a deeper reply. */
function shownAbove(
  reply: CommentRow,
  rows: ReadonlyMap<string, CommentRow>,
  found: ShownAbove,
): string | undefined {
  const passed: CommentRow[] = []
  let at = reply
  let above: CommentRow | undefined
  for (;;) {
    if (found.has(at)) {
      above = found.get(at)
      break
    }
    passed.push(at)
    above = at.parentId === null ? undefined : rows.get(at.parentId)
    if (above === undefined || above.depth <= shownDepthMax || above.parentId === null) break
    at = above
  }
  for (const row of passed) found.set(row, above)
  return above?.id
}

/** Undefined: deleted, without live replies. At most one level below `shownDepthMax`. */
function commentOf(
  row: CommentRow,
  below: ReadonlyMap<string, readonly CommentRow[]>,
): Comment | undefined {
  const replies = (below.get(row.id) ?? []).flatMap((reply) => commentOf(reply, below) ?? [])
  const deleted = row.deletedAt !== null
  if (deleted && replies.length === 0) return undefined
  const living = replies.filter((reply) => !reply.deleted).length
  return {
    id: row.id,
    parent_id: row.parentId,
    body: deleted ? '' : row.body,
    author_name: deleted ? null : row.authorName,
    is_team: row.isTeam,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    deleted,
    ...(row.fromIdeaId && row.fromIdeaTitle
      ? { from_idea: { id: row.fromIdeaId, title: row.fromIdeaTitle } }
      : {}),
    ...(row.moderation === 'pending' ? { moderation: 'pending' as const } : {}),
    reply_count: replies.reduce((sum, reply) => sum + reply.reply_count, living),
    replies,
  }
}
