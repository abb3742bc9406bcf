/** Counts of new issues by hour and kind. Written under the lock for issue creation. */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Burst } from '../digest/bursting-kinds.ts'
import { type BurstKey, burstName, newIssuesPerHourMax } from './burst-gate.ts'

const hoursKept = 24
/**
 * Bursts that are read for the projects of one range. Each was an email to their owners, so there
 * are few.
 */
const burstsMax = 1_000

interface CountRow extends BurstKey {
  readonly count: number
}

const rowColumns = `project_id as "projectId", (extract(epoch from hour) / 3600)::int as hour, kind, count`
const keysGiven = `unnest($1::bigint[], $2::int[], $3::text[])`

export async function readNewIssueCounts(
  client: PoolClient,
  keys: readonly BurstKey[],
): Promise<Map<string, number>> {
  const { rows } = await client.query<CountRow>(
    `select ${rowColumns} from new_issue_counts
     join ${keysGiven} as key (project_id, hours, kind) using (project_id, kind)
     where hour = to_timestamp(hours * 3600.0)`,
    columnsOf(keys),
  )
  return new Map(rows.map((row) => [burstName(row), row.count]))
}

/**
 * Adds new issues to the counts. When a kind reaches the limit, a job that notifies the owners is
 * enqueued once.
 */
export async function addNewIssues(
  client: PoolClient,
  made: readonly (BurstKey & { readonly count: number })[],
): Promise<void> {
  const { rows } = await client.query<CountRow>(
    `insert into new_issue_counts as known (project_id, hour, kind, count)
     select project_id, to_timestamp(hours * 3600.0), kind, count
     from unnest($1::bigint[], $2::int[], $3::text[], $4::int[]) as new (project_id, hours, kind, count)
     on conflict (project_id, hour, kind) do update set count = known.count + excluded.count
     returning ${rowColumns}`,
    [...columnsOf(made), made.map(({ count }) => count)],
  )
  const bursting = rows.filter(({ count }) => count === newIssuesPerHourMax)
  if (bursting.length === 0) return
  await client.query(
    `select graphile_worker.add_job('issue_flood',
       json_build_object('project_id', project_id, 'hour', hours, 'kind', kind, 'limit', $4::int))
     from ${keysGiven} as burst (project_id, hours, kind)`,
    [...columnsOf(bursting), newIssuesPerHourMax],
  )
  await client.query(
    'delete from new_issue_counts where project_id = any($1) and hour < to_timestamp($2 * 3600.0)',
    [
      bursting.map(({ projectId }) => projectId),
      Math.max(...rows.map(({ hour }) => hour)) - hoursKept,
    ],
  )
}

/** Returns the hours and kinds of the given projects that reached the limit. */
export async function readBursts(pg: Pool, projectIds: readonly ProjectId[]): Promise<Burst[]> {
  const { rows } = await pg.query<CountRow>(
    `select ${rowColumns} from new_issue_counts
     where project_id = any($1) and count >= ${newIssuesPerHourMax}
     order by project_id, hour desc, kind limit ${burstsMax}`,
    [projectIds],
  )
  return rows.map(({ projectId, hour, kind }) => [projectId, hour, kind])
}

function columnsOf(keys: readonly BurstKey[]): unknown[][] {
  return [
    keys.map(({ projectId }) => projectId),
    keys.map(({ hour }) => hour),
    keys.map(({ kind }) => kind),
  ]
}
