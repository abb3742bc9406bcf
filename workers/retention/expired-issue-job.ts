/** The job `expire_issues`: walks the issues, and deletes the expired ones. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { expireIssuePage } from './expire-issues.ts'
import {
  deleteExpiredIssues,
  examineIssues,
  hashesOfIssues,
  type IssueLimits,
} from './issue-expiry-store.ts'
import { hashesWithEvents } from './stored-event-store.ts'
import { sweep } from './sweep-position-store.ts'

const rowsPerPage = 2_000
const pagesMax = 100

export interface ExpiredIssueJob extends IssueLimits {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly signal: AbortSignal
}

/** Returns how many issues were deleted. */
export function expireIssues(job: ExpiredIssueJob): Promise<number> {
  const { pg, clickhouse, now, signal } = job
  return sweep({
    pg,
    name: 'issues',
    rowsPerPage,
    pagesMax,
    signal,
    page: (after, rowsMax) =>
      expireIssuePage(
        {
          examine: (from, max) => examineIssues(pg, job, { after: from, rowsMax: max }),
          withoutEvents: async (projectId, issueIds) => {
            const owned = await hashesOfIssues(pg, issueIds)
            const hashes = owned.map(({ hash }) => hash)
            const stored = await hashesWithEvents(clickhouse, { projectId, hashes, now })
            const inUse = new Set(
              owned.filter(({ hash }) => stored.has(hash)).map(({ issueId }) => issueId),
            )
            return issueIds.filter((id) => !inUse.has(id))
          },
          deleteIssues: (projectId, issueIds) =>
            deleteExpiredIssues(pg, job, { projectId, issueIds }),
          signal,
        },
        after,
        rowsMax,
      ),
  })
}
