/** One page of releases with their health. */
import { z } from 'zod'
import type { ReleaseItem, ReleaseListQuery } from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, decodeCursor, encodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { orderByVersion } from './order-by-version.ts'
import { listNamedReleases, listReleaseNames, listReleases } from './release-store.ts'
import { describeReleases } from './report-releases.ts'

const Position = z.tuple([CursorTime, z.string()])

export async function listReleasePage(
  project: StoredProject,
  query: ReleaseListQuery,
  ctx: ApiContext,
): Promise<Page<ReleaseItem>> {
  if (query.sort === 'version') return listByVersion(project, query, ctx)
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

/** The last version of the page before, and its place, should it have been deleted meanwhile. */
const VersionPosition = z.tuple([z.string(), z.int().min(0)])

async function listByVersion(
  project: StoredProject,
  query: ReleaseListQuery,
  ctx: ApiContext,
): Promise<Page<ReleaseItem>> {
  const projectId = project.dsnId
  const after = decodeCursor(query.cursor, VersionPosition)
  const versions = orderByVersion(await listReleaseNames(ctx.pg, projectId)).map(
    ({ version }) => version,
  )
  const known = after === undefined ? -1 : versions.indexOf(after[0])
  const start = known === -1 ? (after?.[1] ?? 0) : known + 1
  const end = start + query.limit
  const rows = await listNamedReleases(ctx.pg, { projectId, versions: versions.slice(start, end) })
  const last = rows.at(-1)
  return {
    items: await describeReleases(project, rows, query, ctx),
    next_cursor:
      last === undefined || versions.length <= end ? null : encodeCursor([last.version, end]),
  }
}
