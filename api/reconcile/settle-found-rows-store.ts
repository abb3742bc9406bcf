/** Adds the rows that were found to everything in Postgres that counts events. */
import type { PoolClient } from '#platform/postgres.ts'
import { type SettledIssues, settleFoundIssues } from './settle-issues-store.ts'
import { settleFoundReleases, settleFoundUsage } from './settle-sums-store.ts'

export interface SettledRows extends SettledIssues {
  readonly events: number
  readonly dsnIds: readonly number[]
}

export async function settleFoundRows(client: PoolClient): Promise<SettledRows> {
  const issues = await settleFoundIssues(client)
  await settleFoundReleases(client)
  await settleFoundUsage(client)
  const { rows } = await client.query<{ project_id: number; events: number }>(
    'select project_id, sum(count)::bigint as events from found_issues group by 1 order by 1',
  )
  return {
    ...issues,
    events: rows.reduce((sum, { events }) => sum + events, 0),
    dsnIds: rows.map(({ project_id }) => project_id),
  }
}
