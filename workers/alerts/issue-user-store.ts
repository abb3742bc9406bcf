/** How many distinct users the stored events of some issues have, for notifications. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { undashed } from '#schemas/ids.ts'

/** Parameters are sent in the URL, and some servers limit the head of a request to 16 KiB. */
const hashesMax = 150
/** A notification is not delayed for longer. */
const secondsMax = 2

/** Issues whose users could not be counted are left out. */
export async function countIssueUsers(
  { pg, clickhouse }: { readonly pg: Pool; readonly clickhouse: ClickHouseClient },
  issueIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pg.query<{ project_id: number; hash: string; issue_id: string }>(
    `select project_id, hash, issue_id from issue_hashes where issue_id = any($1) limit ${hashesMax}`,
    [issueIds],
  )
  const [first] = rows
  if (first === undefined) return new Map()
  try {
    const result = await clickhouse.query({
      query: `select no, uniqExactIf(who, who != '') as users from (
          select transform(replaceAll(toString(fingerprint), '-', ''), {hashes:Array(String)}, {issues:Array(UInt16)}, 65535) as no,
            multiIf(user_id != '', concat('id:', user_id), user_email != '', concat('email:', user_email),
              user_name != '', concat('name:', user_name), user_ip != '', concat('ip:', user_ip), '') as who
          from events where project_id = {project:UInt64} and fingerprint in {wanted:Array(UUID)}
        ) group by no`,
      query_params: {
        project: first.project_id,
        wanted: rows.map(({ hash }) => hash),
        hashes: rows.map(({ hash }) => undashed(hash)),
        issues: rows.map(({ issue_id }) => issueIds.indexOf(issue_id)),
      },
      format: 'JSONEachRow',
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 0,
        max_execution_time: secondsMax,
      },
      abort_signal: AbortSignal.timeout(secondsMax * 1000),
    })
    const counted = await result.json<{ no: number; users: number }>()
    return new Map(
      counted.flatMap(({ no, users }) => {
        const id = issueIds[no]
        return id === undefined ? [] : [[id, users] as const]
      }),
    )
  } catch {
    // A notification is worth more than its number of users.
    return new Map()
  }
}
