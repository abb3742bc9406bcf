/** One page of monitors, ordered by slug. */
import { z } from 'zod'
import type { MonitorItem } from '#schemas/rest/monitor.ts'
import type { ApiContext } from '../context.ts'
import { decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { listMonitors } from './monitor-store.ts'
import { monitorItem } from './monitor-view.ts'

export async function listMonitorPage(
  project: StoredProject,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  ctx: Pick<ApiContext, 'pg'>,
): Promise<Page<MonitorItem>> {
  const rows = await listMonitors(ctx.pg, {
    projectId: project.dsnId,
    afterSlug: decodeCursor(cursor, z.tuple([z.string()]))?.[0],
    limit: limit + 1,
  })
  const page = pageOfRows(rows, limit, ({ slug }) => [slug])
  return { items: page.items.map(monitorItem), next_cursor: page.next_cursor }
}
