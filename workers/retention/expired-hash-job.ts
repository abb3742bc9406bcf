/** The job `expire_hashes`: walks the grouping hashes, and deletes those unseen for long. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  deleteExpiredHashes,
  type ExpiredHash,
  examineHashes,
  readHeirs,
} from './hash-expiry-store.ts'
import type { IssueLimits } from './issue-expiry-store.ts'
import { hashesWithEvents } from './stored-event-store.ts'
import { type SweepPosition, type SweptPage, sweep } from './sweep-position-store.ts'

const rowsPerPage = 2_000
const pagesMax = 200

export interface ExpiredHashJob extends IssueLimits {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly signal: AbortSignal
}

/** Returns how many hashes were deleted. */
export function expireHashes(job: ExpiredHashJob): Promise<number> {
  const { pg, signal } = job
  // Those of an issue are read once in a run, however many pages its hashes fill.
  const heirs = new Map<string, readonly string[]>()
  const page = (after: SweepPosition | undefined, rowsMax: number) =>
    expireHashPage({ ...job, heirs }, after, rowsMax)
  return sweep({ pg, name: 'issue_hashes', rowsPerPage, pagesMax, signal, page })
}

async function expireHashPage(
  job: ExpiredHashJob & { readonly heirs: Map<string, readonly string[]> },
  after: SweepPosition | undefined,
  rowsMax: number,
): Promise<SweptPage> {
  const { pg, clickhouse, now } = job
  const { examined, expired, last } = await examineHashes(pg, job, { after, rowsMax })
  let deleted = 0
  for (const projectId of new Set(expired.map((hash) => hash.projectId))) {
    const ofProject = expired.filter((hash) => hash.projectId === projectId)
    const empty = await withoutEvents(clickhouse, { projectId, hashes: ofProject, now })
    if (empty.length === 0) continue
    const issueIds = [...new Set(empty.map(({ issueId }) => issueId))]
    const unread = issueIds.filter((id) => !job.heirs.has(id))
    for (const id of unread) job.heirs.set(id, [])
    for (const { issueId, hash } of await readHeirs(pg, { projectId, issueIds: unread })) {
      job.heirs.set(issueId, [...(job.heirs.get(issueId) ?? []), hash])
    }
    const heirs = issueIds.flatMap((id) => job.heirs.get(id) ?? [])
    deleted += await deleteExpiredHashes(pg, job, { projectId, hashes: empty, heirs })
  }
  return { examined, expired: deleted, last }
}

async function withoutEvents(
  clickhouse: ClickHouseClient,
  of: { projectId: ProjectId; hashes: readonly ExpiredHash[]; now: Date },
): Promise<readonly ExpiredHash[]> {
  const names = of.hashes.map(({ hash }) => hash)
  const stored = await hashesWithEvents(clickhouse, { ...of, hashes: names })
  return of.hashes.filter(({ hash }) => !stored.has(hash))
}
