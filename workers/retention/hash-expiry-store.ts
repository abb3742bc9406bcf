/**
 * Grouping hashes of living issues that have not been seen for long. Their counts are added to the
 * newest hash of the same issue, so that neither the issue's counts nor the sums of a later merge
 * change. Locks as in issue-expiry-store.ts; a commit that waits for the issue reads the owners of
 * its hashes again.
 */
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { byIndexes } from './indexed-query-store.ts'
import { type IssueLimits, issueLimit, limitValues, tryLockProject } from './issue-expiry-store.ts'
import type { SweepPosition } from './sweep-position-store.ts'

export interface ExpiredHash {
  readonly projectId: ProjectId
  readonly hash: string
  readonly issueId: string
}

export interface HashPage {
  readonly examined: number
  readonly expired: readonly ExpiredHash[]
  readonly last: SweepPosition | undefined
}

/**
 * A hash without a sum never was the first one of an event. It is added again by the next event, so
 * it may expire while it is in use; but not the one by which a burst of errors is grouped, whose
 * explanation begins with itself.
 */
const isExpired = `h.created_at < ${issueLimit} and case
    when s.hash is not null then s.last_seen < ${issueLimit}
    else replace(h.hash::text, '-', '') is distinct from h.explanation #>> '{variants,0,hash}'
  end`

export async function examineHashes(
  pg: Pool,
  limits: IssueLimits,
  page: { after: SweepPosition | undefined; rowsMax: number },
): Promise<HashPage> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<{
      project_id: ProjectId
      hash: string
      issue_id: string
      is_expired: boolean
    }>(
      `select h.project_id, h.hash, h.issue_id, ${isExpired} as is_expired
     from (
       select * from issue_hashes where $5::bigint is null or (project_id, hash) > ($5, $6::uuid)
       order by project_id, hash limit $7
     ) h
     join issues issue on issue.id = h.issue_id
     join projects project on project.dsn_id = h.project_id
     left join hash_sums s on s.project_id = h.project_id and s.hash = h.hash
     order by h.project_id, h.hash`,
      [...limitValues(limits), page.after?.[0] ?? null, page.after?.[1] ?? null, page.rowsMax],
    ),
  )
  const last = rows.at(-1)
  return {
    examined: rows.length,
    expired: rows
      .filter(({ is_expired }) => is_expired)
      .map(({ project_id, hash, issue_id }) => ({
        projectId: project_id,
        hash,
        issueId: issue_id,
      })),
    last: last && [String(last.project_id), last.hash],
  }
}

/** Deletes those of the hashes that are still expired. Returns how many were deleted. */
export async function deleteExpiredHashes(
  pg: Pool,
  limits: IssueLimits,
  chosen: {
    projectId: ProjectId
    hashes: readonly ExpiredHash[]
    heirs: readonly string[]
  },
): Promise<number> {
  const { projectId } = chosen
  return inTransaction(pg, async (client) => {
    if (!(await tryLockProject(client, projectId))) return 0
    const { rows: issues } = await client.query<{ id: string }>(
      'select id from issues where id = any($1::uuid[]) order by id for update skip locked',
      [[...new Set(chosen.hashes.map(({ issueId }) => issueId))]],
    )
    const inherited = await findHeirs(client, limits, {
      projectId,
      heirs: chosen.heirs,
      hashes: chosen.hashes.map(({ hash }) => hash),
      issueIds: issues.map(({ id }) => id),
    })
    if (inherited.length === 0) return 0
    const hashes = inherited.map(({ hash }) => hash)
    await inherit(client, { projectId, hashes, heirs: inherited.map(({ heir }) => heir) })
    const { rowCount } = await client.query(
      'delete from issue_hashes where project_id = $1 and hash = any($2::uuid[])',
      [projectId, hashes],
    )
    return rowCount ?? 0
  })
}

/**
 * The heir of a hash is the newest hash of its issue that came the same way of merges, so that an
 * unmerge moves both alike. Read without locks, because an issue may have very many hashes; so the
 * deletion checks that the heirs are still what they were.
 */
export async function readHeirs(
  pg: Pool,
  of: { projectId: ProjectId; issueIds: readonly string[] },
): Promise<readonly { issueId: string; hash: string }[]> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<{ issueId: string; hash: string }>(
      `select distinct on (h.issue_id, h.came_from, h.split_from) h.issue_id as "issueId", h.hash
       from issue_hashes h left join hash_sums s on s.project_id = h.project_id and s.hash = h.hash
       where h.project_id = $1 and h.issue_id = any($2::uuid[])
       order by h.issue_id, h.came_from, h.split_from, s.last_seen desc nulls last,
         h.created_at desc, h.hash`,
      [of.projectId, of.issueIds],
    ),
  )
  return rows
}

/** An heir stays, so each issue keeps a hash. */
async function findHeirs(
  client: PoolClient,
  limits: IssueLimits,
  chosen: {
    projectId: ProjectId
    hashes: readonly string[]
    heirs: readonly string[]
    issueIds: readonly string[]
  },
): Promise<readonly { hash: string; heir: string }[]> {
  const { rows } = await client.query<{ hash: string; heir: string }>(
    `select distinct on (h.hash) h.hash, heir.hash as heir
     from issue_hashes h
     join issue_hashes heir on heir.project_id = $6 and heir.hash = any($8::uuid[])
       and heir.issue_id = h.issue_id and heir.came_from = h.came_from
       and heir.split_from is not distinct from h.split_from
     join issues issue on issue.id = h.issue_id
     join projects project on project.dsn_id = h.project_id
     left join hash_sums s on s.project_id = h.project_id and s.hash = h.hash
     left join hash_sums heir_sum on heir_sum.project_id = $6 and heir_sum.hash = heir.hash
     where h.project_id = $6 and h.hash = any($7::uuid[]) and h.hash <> all($8::uuid[])
       and h.issue_id = any($5::uuid[]) and ${isExpired}
       and (s.hash is null or heir_sum.hash is not null)
     order by h.hash, heir.hash`,
    [...limitValues(limits), chosen.issueIds, chosen.projectId, chosen.hashes, chosen.heirs],
  )
  return rows
}

async function inherit(
  client: PoolClient,
  sums: { projectId: ProjectId; hashes: readonly string[]; heirs: readonly string[] },
): Promise<void> {
  await client.query(
    `update hash_sums heir set
       count = heir.count + lost.count,
       sampled_count = heir.sampled_count + lost.sampled_count,
       first_seen = least(heir.first_seen, lost.first_seen),
       first_release = case when lost.first_seen < heir.first_seen
         then coalesce(lost.first_release, heir.first_release)
         else coalesce(heir.first_release, lost.first_release) end,
       last_release = coalesce(heir.last_release, lost.last_release)
     from (
       select to_hash, sum(count)::bigint as count, sum(sampled_count)::bigint as sampled_count,
         min(first_seen) as first_seen,
         (array_agg(first_release order by first_seen, hash) filter (where first_release is not null))[1] as first_release,
         (array_agg(last_release order by last_seen desc, hash) filter (where last_release is not null))[1] as last_release
       from unnest($2::uuid[], $3::uuid[]) as moved (hash, to_hash)
       join hash_sums using (hash)
       where project_id = $1 group by to_hash
     ) lost
     where heir.project_id = $1 and heir.hash = lost.to_hash`,
    [sums.projectId, sums.hashes, sums.heirs],
  )
}
