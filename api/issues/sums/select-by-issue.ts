/**
 * Reads sums of events by issue. Events store their first grouping hash, and Postgres knows which
 * issue owns it. So a query takes the hashes of many issues and groups by issue: a user with two
 * hashes of one issue counts once.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ClickHouse } from '../../database.ts'
import { hashesGiven, isOneOfHashes, joinHashes } from '../hash-list.ts'

export interface IssueHashes {
  readonly id: string
  readonly hashes: readonly string[]
}

/**
 * Hashes per query. Parameters are sent in the URL, and some servers limit the head of a request to
 * 16 KiB.
 */
export const hashesPerQueryMax = 300

/** One query, or several if the issues own more hashes than fit into one. */
export async function selectByIssue<Row extends { issue: string }>(
  clickhouse: ClickHouse,
  columns: string,
  lookup: {
    projectId: ProjectId
    issues: readonly IssueHashes[]
    /** Only events that were received at or after this time. */
    sinceMs?: number
    /** The columns are about distinct values of these, not about events. */
    distinct?: readonly string[]
    /** The one to use, which ClickHouse would not always choose: it compares granules, not rows. */
    projection?: string
  },
): Promise<Row[]> {
  const rows: Row[] = []
  const { sinceMs } = lookup
  const since = sinceMs === undefined ? {} : { since: sinceMs }
  const recent =
    sinceMs === undefined ? '' : 'and received_at >= fromUnixTimestamp64Milli({since:Int64})'
  const events = `events where project_id = {project:UInt64} and ${isOneOfHashes} ${recent}`
  const distinct = ['fingerprint', ...(lookup.distinct ?? [])].join(', ')
  const source =
    lookup.distinct === undefined
      ? events
      : `(select ${distinct} from ${events} group by ${distinct})`
  const settings =
    lookup.projection === undefined
      ? ''
      : `settings preferred_optimize_projection_name = '${lookup.projection}'`
  for (const issues of packIssues(lookup.issues)) {
    const owners = issues.flatMap((issue, index) => issue.hashes.map(() => index))
    const found = await clickhouse.select<Omit<Row, 'issue'> & { owner: number }>(
      `select transform(fingerprint, ${hashesGiven}, {owners:Array(UInt16)}, 0) as owner, ${columns}
       from ${source} group by owner ${settings}`,
      {
        ...since,
        project: lookup.projectId,
        hashes: joinHashes(issues.flatMap((issue) => issue.hashes)),
        owners,
      },
    )
    for (const { owner, ...rest } of found) {
      rows.push({ ...rest, issue: issues[owner]!.id } as unknown as Row)
    }
  }
  return rows
}

/**
 * Splits issues into queries. The hashes of one issue stay together, or its users would be counted
 * twice.
 */
export function packIssues(issues: readonly IssueHashes[]): IssueHashes[][] {
  const packs: IssueHashes[][] = []
  let hashCount = Number.POSITIVE_INFINITY
  for (const issue of issues) {
    if (issue.hashes.length === 0) continue
    if (hashCount + issue.hashes.length > hashesPerQueryMax) {
      packs.push([])
      hashCount = 0
    }
    packs.at(-1)!.push(issue)
    hashCount += issue.hashes.length
  }
  return packs
}
