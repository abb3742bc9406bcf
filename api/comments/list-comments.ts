/** One page of the comments of a portal for the team, newest first. */
import { z } from 'zod'
import type { AdminComment, AdminCommentQuery } from '#schemas/rest/portal/comment-admin.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { type ListedComment, listCommentsForTeam } from './comment-list-store.ts'

const Position = z.tuple([CursorTime, CursorUuid])

export async function listCommentPage(
  projectId: string,
  { cursor, ...query }: AdminCommentQuery,
  ctx: Pick<ApiContext, 'pg'>,
): Promise<Page<AdminComment>> {
  const after = decodeCursor(cursor, Position)
  const rows = await listCommentsForTeam(ctx.pg, { ...query, projectId, after })
  const page = pageOfRows(rows, query.limit, (row) => [row.position_at, row.id])
  return { ...page, items: page.items.map(withoutPosition) }
}

function withoutPosition({ position_at: _, ...comment }: ListedComment): AdminComment {
  return comment
}
