/** One page of releases with their health. */
import { z } from 'zod'
import type { ReleaseItem, ReleaseListQuery } from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { listReleases } from './release-store.ts'
import { describeReleases } from './report-releases.ts'

const Position = z.tuple([CursorTime, z.string()])

export async function listReleasePage(
  project: StoredProject,
  query: ReleaseListQuery,
  ctx: ApiContext,
): Promise<Page<ReleaseItem>> {
  const { cursor, limit } = query
  const rows = await listReleases(ctx.pg, {
    projectId: project.dsnId,
    after: decodeCursor(cursor, Position),
    limit: limit + 1,
  })
  const page = pageOfRows(rows, limit, (row) => [row.position, row.version])
  const items = await describeReleases(project, page.items, query, ctx)
  return { items, next_cursor: page.next_cursor }
}
