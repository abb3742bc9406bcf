import { z } from 'zod'
import type { JobItem, JobQuery } from '#schemas/rest/operation/operation-changes.ts'
import type { ApiContext } from '../context.ts'
import { decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { listJobs, type StoredJob } from './stores/job-store.ts'

const Position = z.tuple([z.string().regex(/^\d{1,18}$/)])

/** Jobs that failed, newest first. Their payload may hold addresses of people and is not shown. */
export async function listJobPage(
  { pg }: Pick<ApiContext, 'pg'>,
  { state, task, cursor, limit }: JobQuery,
): Promise<Page<JobItem>> {
  const after = decodeCursor(cursor, Position)
  const rows = await listJobs(pg, { state, task, beforeId: after?.[0], limit: limit + 1 })
  const page = pageOfRows(rows, limit, ({ id }) => [id])
  return { ...page, items: page.items.map((job) => viewOf(job, state)) }
}

function viewOf(
  { created_at, updated_at, run_at, ...job }: StoredJob,
  state: JobQuery['state'],
): JobItem {
  return {
    ...job,
    state,
    created_at: created_at.toISOString(),
    failed_at: updated_at.toISOString(),
    next_attempt_at: state === 'failed' ? null : run_at.toISOString(),
  }
}
