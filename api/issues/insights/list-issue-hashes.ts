import { z } from 'zod'
import { undashed } from '#schemas/ids.ts'
import type { IssueHash } from '#schemas/rest/issue-insights.ts'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'

interface StoredHash {
  readonly hash: string
  readonly title: string | null
  readonly culprit: string | null
  readonly level: string | null
  readonly explanation: unknown
  readonly count: number
  readonly created_at: Date
  readonly last_seen: Date | null
  readonly from_id: string | null
  readonly from_no: number | null
  readonly from_title: string | null
}

const Explanation = z.looseObject({ summary: z.string() })

/** What the events of each hash are, so that a person can choose which to split off. */
export async function listIssueHashes(
  { pg }: Pick<ApiContext, 'pg'>,
  issueId: string,
  shortName: string,
): Promise<IssueHash[]> {
  const rows = await readHashes(pg, issueId)
  return rows.map((row) => ({
    hash: undashed(row.hash),
    title: row.title,
    culprit: row.culprit,
    level: row.level,
    summary: Explanation.safeParse(row.explanation).data?.summary ?? '',
    count: row.count,
    first_seen: row.created_at.toISOString(),
    last_seen: row.last_seen?.toISOString() ?? null,
    came_from:
      row.from_id === null
        ? null
        : {
            id: row.from_id,
            short_id: `${shortName}-${row.from_no}`,
            title: row.from_title ?? '',
          },
  }))
}

/** A former issue that was deleted meanwhile is not one that gets the hash back. */
async function readHashes(pg: Database, issueId: string): Promise<StoredHash[]> {
  const { rows } = await pg.query<StoredHash>(
    `select h.hash, s.title, s.culprit, s.level, h.explanation, coalesce(s.count, 0) as count,
       h.created_at, s.last_seen, former.id as from_id, former.short_no as from_no,
       former.title as from_title
     from issue_hashes h left join hash_sums s using (project_id, hash)
       left join issues former on former.id = h.came_from[cardinality(h.came_from)]
     where h.issue_id = $1 order by coalesce(s.count, 0) desc, h.created_at, h.hash
     limit ${hashesPerIssueMax}`,
    [issueId],
  )
  return rows
}
