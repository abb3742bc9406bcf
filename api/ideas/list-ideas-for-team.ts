/** One page of a portal's ideas for the team, including pending and rejected ones. */
import { z } from 'zod'
import type { AdminIdea, AdminIdeaQuery } from '#schemas/rest/portal/idea-admin.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import type { StoredPortal } from '../portal/settings/portal-settings-store.ts'
import { type ListedIdea, listIdeasForTeam } from './idea-admin-store.ts'

const Position = z.tuple([z.int(), CursorTime, CursorUuid])

export async function listIdeaPage(
  { projectId, settings }: StoredPortal,
  { cursor, ...query }: AdminIdeaQuery,
  ctx: Pick<ApiContext, 'pg'>,
): Promise<Page<AdminIdea>> {
  const after = decodeCursor(cursor, Position)
  const language = settings.searchLanguage
  const rows = await listIdeasForTeam(ctx.pg, { ...query, projectId, after, language })
  const page = pageOfRows(rows, query.limit, (row) => [
    query.sort === 'votes' ? row.vote_count : 0,
    new Date(row.position_at).toISOString(),
    row.id,
  ])
  return { ...page, items: page.items.map(withoutPosition) }
}

function withoutPosition({ position_at: _, ...idea }: ListedIdea): AdminIdea {
  return idea
}
