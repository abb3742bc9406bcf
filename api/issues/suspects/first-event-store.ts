import { type ProjectId, undashed } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { isOneOfHashes, joinHashes } from '../hash-list.ts'

/** An event is received later than it occurred; the first one is among those of these days. */
const daysMs = 2 * 86_400_000

/** The id of the oldest stored event; undefined when it has expired. */
export async function findFirstEvent(
  clickhouse: ClickHouse,
  {
    projectId,
    hashes,
    issue,
  }: {
    readonly projectId: ProjectId
    readonly hashes: readonly string[]
    readonly issue: { readonly first_seen: Date }
  },
): Promise<string | undefined> {
  const rows = await clickhouse.select<{ event_id: string }>(
    `select event_id from events where project_id = {project:UInt64} and ${isOneOfHashes}
       and received_at < fromUnixTimestamp64Milli({until:Int64})
     order by received_at, event_id limit 1`,
    {
      project: projectId,
      hashes: joinHashes(hashes),
      until: issue.first_seen.getTime() + daysMs,
    },
  )
  return rows[0] && undashed(rows[0].event_id)
}
