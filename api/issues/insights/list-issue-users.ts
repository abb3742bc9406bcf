import { type ProjectId, undashed } from '#schemas/ids.ts'
import type { IssueUser, IssueUserList } from '#schemas/rest/issue-insights.ts'
import type { ClickHouse } from '../../database.ts'
import { hashesGiven, joinHashes } from '../hash-list.ts'
import { rowWeight } from '../row-weight.ts'
import { userIdentity } from '../sums/issue-sums.ts'

interface Row {
  readonly user: readonly [id: string, email: string, name: string, ip: string]
  readonly events: number
  readonly first: number
  readonly last: number
  readonly event: string
  readonly total: number
}

/** The users with the most events of an issue, as their latest event names them. */
export async function listIssueUsers(
  clickhouse: ClickHouse,
  issue: {
    readonly projectId: ProjectId
    readonly hashes: readonly string[]
    readonly limit: number
  },
): Promise<IssueUserList> {
  const rows = await clickhouse.select<Row>(
    `with ${hashesGiven} as hashes
     select argMax((user_id, user_email, user_name, user_ip), received_at) as user,
       sum(${rowWeight}) as events, toUnixTimestamp64Milli(min(received_at)) as first,
       toUnixTimestamp64Milli(max(received_at)) as last,
       argMax(event_id, (received_at, event_id)) as event, count() over () as total
     from events
     where project_id = {project:UInt64} and has(hashes, fingerprint) and ${userIdentity} != ''
     group by ${userIdentity} as identity
     order by events desc, last desc, identity limit {limit:UInt32}`,
    { project: issue.projectId, hashes: joinHashes(issue.hashes), limit: issue.limit },
  )
  return { items: rows.map(viewOf), next_cursor: null, total: rows[0]?.total ?? 0 }
}

function viewOf({ user: [id, email, name, ip], events, first, last, event }: Row): IssueUser {
  return {
    id: id || null,
    email: email || null,
    name: name || null,
    ip: ip || null,
    count: events,
    first_seen: new Date(first).toISOString(),
    last_seen: new Date(last).toISOString(),
    latest_event_id: undashed(event),
  }
}
