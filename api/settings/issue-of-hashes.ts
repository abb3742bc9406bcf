import { dashed } from '#schemas/ids.ts'
import type { GroupingTrialResult } from '#schemas/rest/settings/grouping-trial.ts'
import type { Database } from '../database.ts'
import type { StoredProject } from '../projects/project-store.ts'

/** The issue of an event with these hashes: the owner of the first one that has an owner. */
export async function issueOfHashes(
  pg: Database,
  { dsnId, shortName }: StoredProject,
  hashes: GroupingTrialResult['before']['hashes'],
): Promise<GroupingTrialResult['before']['issue']> {
  const wanted = hashes.map(({ hash }) => dashed(hash))
  const { rows } = await pg.query<{ id: string; short_no: number; title: string }>(
    `select i.id, i.short_no, i.title
     from issue_hashes h join issues i on i.id = h.issue_id
     where h.project_id = $1 and h.hash = any($2::uuid[])
     order by array_position($2::uuid[], h.hash) limit 1`,
    [dsnId, wanted],
  )
  const [row] = rows
  if (row === undefined) return null
  return { id: row.id, short_id: `${shortName}-${row.short_no}`, title: row.title }
}
