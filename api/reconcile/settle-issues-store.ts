/**
 * Adds what `found_issues` holds to issues and their hashes, as commits of workers do: the first
 * hash with an owner decides, and where none has one an issue is created. Locks in the order of all
 * writers: creation of issues by project, issues by id, their hashes.
 */
import { v7 as uuidv7 } from 'uuid'
import type { PoolClient } from '#platform/postgres.ts'
import { undashed } from '#schemas/ids.ts'
import { regressIssues } from './regress-issues-store.ts'

export interface SettledIssues {
  readonly created: number
  readonly regressed: number
}

/** Hashes without an owner that are read at a time. */
const pageRowsMax = 500

/** Thrown when somebody merged or deleted issues meanwhile; the transaction may be repeated. */
export class IssuesMovedError extends Error {}

export async function settleFoundIssues(client: PoolClient): Promise<SettledIssues> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended('issue creation', project_id))
     from (select distinct project_id from found_issues order by project_id) project`,
  )
  await client.query(
    `update found_issues set issue_id = owner.issue_id from issue_hashes owner
     where owner.project_id = found_issues.project_id and owner.hash = found_issues.hash`,
  )
  const created = await assignRest(client)
  await lockIssues(client)
  await addHashSums(client)
  await addIssueSums(client)
  return { created, regressed: await regressIssues(client) }
}

interface UnownedRow {
  readonly project_id: number
  readonly hash: string
  readonly further: readonly string[]
  readonly path: string
}

async function assignRest(client: PoolClient): Promise<number> {
  let created = 0
  while (true) {
    const { rows } = await client.query<UnownedRow>(
      `select project_id, hash, further, grouping_path as path from found_issues where issue_id is null
       order by project_id, first_seen, hash limit $1`,
      [pageRowsMax],
    )
    if (rows.length === 0) break
    created += await assignPage(client, rows)
  }
  await countNewIssues(client)
  return created
}

async function assignPage(client: PoolClient, rows: readonly UnownedRow[]): Promise<number> {
  const owners = await readOwners(client, rows)
  const assigned: { row: UnownedRow; issueId: string; isNew: boolean }[] = []
  const claims: { row: UnownedRow; hash: string; issueId: string }[] = []
  for (const row of rows) {
    const hashes = [row.hash, ...row.further]
    const owned = hashes.find((hash) => owners.has(ownerKey(row.project_id, hash)))
    const known = owned === undefined ? undefined : owners.get(ownerKey(row.project_id, owned))
    const issueId = known ?? uuidv7()
    for (const hash of new Set(hashes)) {
      if (owners.has(ownerKey(row.project_id, hash))) continue
      owners.set(ownerKey(row.project_id, hash), issueId)
      claims.push({ row, hash, issueId })
    }
    assigned.push({ row, issueId, isNew: known === undefined })
  }
  await client.query(
    `update found_issues set issue_id = given.issue_id, is_new = given.is_new
     from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::boolean[]) as given (project_id, hash, issue_id, is_new)
     where found_issues.project_id = given.project_id and found_issues.hash = given.hash`,
    [
      assigned.map(({ row }) => row.project_id),
      assigned.map(({ row }) => row.hash),
      assigned.map(({ issueId }) => issueId),
      assigned.map(({ isNew }) => isNew),
    ],
  )
  const fresh = assigned.filter(({ isNew }) => isNew)
  if (fresh.length > 0)
    await createIssues(
      client,
      fresh.map(({ issueId }) => issueId),
    )
  await client.query(
    `insert into issue_hashes (project_id, hash, issue_id, explanation)
     select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::jsonb[])`,
    [
      claims.map(({ row }) => row.project_id),
      claims.map(({ hash }) => hash),
      claims.map(({ issueId }) => issueId),
      claims.map(({ row }) => explanationOf(row)),
    ],
  )
  return fresh.length
}

async function readOwners(
  client: PoolClient,
  rows: readonly UnownedRow[],
): Promise<Map<string, string>> {
  const wanted = rows.flatMap(({ project_id, hash, further }) =>
    [hash, ...further].map((each) => ({ project_id, hash: each })),
  )
  const found = await client.query<{ project_id: number; hash: string; issue_id: string }>(
    `select project_id, hash, issue_id from issue_hashes
     join unnest($1::bigint[], $2::uuid[]) as wanted (project_id, hash) using (project_id, hash)`,
    [wanted.map(({ project_id }) => project_id), wanted.map(({ hash }) => hash)],
  )
  return new Map(found.rows.map((row) => [ownerKey(row.project_id, row.hash), row.issue_id]))
}

function ownerKey(projectId: number, hash: string): string {
  return `${projectId} ${undashed(hash)}`
}

/** New issues get the next numbers of their project, and count nothing until sums are added. */
async function createIssues(client: PoolClient, issueIds: readonly string[]): Promise<void> {
  await client.query(
    `with fresh as (
       select issue_id, project_id, title, culprit, level, platform, first_seen, last_received,
         row_number() over (partition by project_id order by first_seen, hash) as number
       from found_issues where issue_id = any($1) and is_new
     ), taken as (
       insert into issue_numbers (project_id, last_no)
       select project_id, count(*) from fresh group by project_id order by project_id
       on conflict (project_id) do update set last_no = issue_numbers.last_no + excluded.last_no
       returning project_id, last_no
     ), sizes as (
       select project_id, count(*) as size from fresh group by project_id
     )
     insert into issues (id, project_id, short_no, substatus, count, sampled_count, first_seen, last_seen,
       title, culprit, level, platform, triage_at, triage_reason)
     select issue_id, project_id, last_no - size + number, 'new', 0, 0, first_seen, first_seen,
       title, culprit, level, platform, last_received, 'new'
     from fresh join taken using (project_id) join sizes using (project_id)`,
    [issueIds],
  )
}

/** The explanation of a grouping is stored once, in Postgres, so that of a lost hash is gone. */
function explanationOf({ hash, further, path }: UnownedRow): string {
  const hashes = [hash, ...further].map(undashed)
  return JSON.stringify({
    algorithm: 'g1',
    path,
    summary:
      'This issue was restored from its events. What their grouping was based on is not known any more.',
    variants: hashes.map((each) => ({ name: 'restored', hash: each, pieces: [], skipped: [] })),
    replaced: [],
    rules: [],
    notes: [],
  })
}

/** For the grouping limit: kinds of errors without a type are not known from rows. */
async function countNewIssues(client: PoolClient): Promise<void> {
  await client.query(
    `insert into new_issue_counts as known (project_id, hour, kind, count)
     select project_id, date_trunc('hour', last_received, 'UTC'), kind, count(*)::int
     from found_issues where is_new and kind <> '' group by 1, 2, 3 order by 1, 2, 3
     on conflict (project_id, hour, kind) do update set count = known.count + excluded.count`,
  )
}

async function lockIssues(client: PoolClient): Promise<void> {
  await client.query(
    `select from issues where id in (select issue_id from found_issues where not is_new)
     order by id for no key update`,
  )
  const { rows } = await client.query<{ moved: boolean }>(
    `select exists (
       select from found_issues where not exists (
         select from issue_hashes join issues on issues.id = issue_id
         where issue_hashes.project_id = found_issues.project_id and issue_hashes.hash = found_issues.hash
           and issue_hashes.issue_id = found_issues.issue_id and issues.merged_into is null
       )
     ) as moved`,
  )
  if (rows[0]?.moved === true) throw new IssuesMovedError('issues were merged or deleted meanwhile')
}

async function addHashSums(client: PoolClient): Promise<void> {
  await client.query(
    `insert into hash_sums as known (project_id, hash, count, sampled_count, first_seen, last_seen,
       first_release, last_release, title, culprit, level, platform)
     select project_id, hash, count, sampled_count, first_seen, last_seen,
       first_release, last_release, title, culprit, level, platform
     from found_issues order by project_id, hash
     on conflict (project_id, hash) do update set ${addedColumns('known', 'excluded')}`,
  )
}

/** Columns of an issue that are taken from its latest events. */
const nameColumns = ['title', 'culprit', 'level', 'platform']

async function addIssueSums(client: PoolClient): Promise<void> {
  const latest = (column: string) =>
    `(array_agg(${column} order by last_seen desc, hash))[1] as ${column}`
  await client.query(
    `with added as (
       select issue_id, sum(count)::bigint as count, sum(sampled_count)::bigint as sampled_count,
         min(first_seen) as first_seen, max(last_seen) as last_seen,
         (array_agg(first_release order by first_seen, hash) filter (where first_release is not null))[1] as first_release,
         (array_agg(last_release order by last_seen desc, hash) filter (where last_release is not null))[1] as last_release,
         ${nameColumns.map(latest).join(', ')}
       from found_issues group by issue_id
     )
     update issues set ${addedColumns('issues', 'added')}
     from added where issues.id = added.issue_id`,
  )
}

/** As commits add: later events name the issue, and events without a release change none. */
function addedColumns(known: string, added: string): string {
  const ofLatest = (name: string, value = `${added}.${name}`) =>
    `${name} = case when ${added}.last_seen >= ${known}.last_seen then ${value} else ${known}.${name} end`
  return `count = ${known}.count + ${added}.count,
    sampled_count = ${known}.sampled_count + ${added}.sampled_count,
    first_seen = least(${known}.first_seen, ${added}.first_seen),
    last_seen = greatest(${known}.last_seen, ${added}.last_seen),
    first_release = case when ${added}.first_seen < ${known}.first_seen
      then coalesce(${added}.first_release, ${known}.first_release)
      else coalesce(${known}.first_release, ${added}.first_release) end,
    ${ofLatest('last_release', `coalesce(${added}.last_release, ${known}.last_release)`)},
    ${nameColumns.map((name) => ofLatest(name)).join(', ')}`
}
