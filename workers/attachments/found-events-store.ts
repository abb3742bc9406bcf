/** Which events with files match a condition, also those that a sample row stands for. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { eventsWithAttachments } from './attachment-store.ts'

export interface FoundEvents {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly projectId: number
  /** SQL on `events`, of our own literals. */
  readonly condition: string
}

/** Ids of the events with attachments that match, a page at a time. */
export async function* foundEvents({
  pg,
  clickhouse,
  projectId,
  condition,
}: FoundEvents): AsyncIterable<readonly string[]> {
  for await (const page of eventsWithAttachments(pg, projectId)) {
    const result = await clickhouse.query({
      query: `select distinct toString(found) as id from (
          select arrayJoin(arrayConcat([event_id], sampled_ids)) as found from events
          where project_id = {project:UInt64} and (${condition})
            and (event_id in {ids:Array(UUID)} or hasAny(sampled_ids, {ids:Array(UUID)})))
        where found in {ids:Array(UUID)}`,
      query_params: { project: projectId, ids: [...page] },
      format: 'JSONEachRow',
    })
    const rows = await result.json<{ id: string }>()
    if (rows.length > 0) yield rows.map(({ id }) => id)
  }
}
