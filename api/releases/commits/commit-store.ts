/** What is known about the commits of releases, with the people who wrote them. */
import type { ProjectId } from '#schemas/ids.ts'
import type { FullCommit } from '#schemas/rest/releases/commit.ts'
import type { Database } from '../../database.ts'

export interface StoredCommit {
  readonly commit_id: string
  readonly version: string
  readonly message: string
  readonly author_name: string
  readonly author_email: string
  readonly repository: string
  readonly committed_at: Date | null
  readonly file_count: number
  readonly person_id: string | null
  readonly person_name: string | null
  readonly person_email: string | null
}

export interface ReleaseKey {
  readonly projectId: ProjectId
  readonly version: string
}

/**
 * Replaces the commits of a release. A release that is not known yet counts as seen at this time,
 * until its first event. Hashes without details keep the details that they had.
 */
export async function writeCommits(
  pg: Database,
  release: ReleaseKey & {
    readonly commits: readonly string[]
    readonly details: readonly FullCommit[]
    readonly at: Date
  },
): Promise<void> {
  const { projectId, version, commits, details, at } = release
  await pg.query(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count, commits)
     values ($1, $2, $4, $4, 0, $3)
     on conflict (project_id, version) do update set commits = excluded.commits`,
    [projectId, version, commits, at],
  )
  await pg.query(
    `delete from release_commits
     where project_id = $1 and version = $2 and commit_id <> all($3)`,
    [projectId, version, commits],
  )
  await pg.query(
    `update release_commits set position = array_position($3::text[], commit_id) - 1
     where project_id = $1 and version = $2`,
    [projectId, version, commits],
  )
  if (details.length > 0) await writeDetails(pg, release)
}

async function writeDetails(
  pg: Database,
  {
    projectId,
    version,
    commits,
    details,
  }: ReleaseKey & {
    readonly commits: readonly string[]
    readonly details: readonly FullCommit[]
  },
): Promise<void> {
  const positions = new Map(commits.map((id, index) => [id, index]))
  const rows = details.map((one) => ({
    id: one.id,
    position: positions.get(one.id),
    message: one.message ?? '',
    author_name: one.author_name ?? '',
    author_email: one.author_email ?? '',
    repository: one.repository ?? '',
    committed_at: one.timestamp ?? null,
    paths: [...new Set((one.patch_set ?? []).map(({ path }) => path))],
  }))
  await pg.query(
    `insert into release_commits (project_id, version, commit_id, position, message, author_name,
       author_email, repository, committed_at, paths)
     select $1, $2, id, position, message, author_name, author_email, repository, committed_at,
       array(select jsonb_array_elements_text(paths))
     from jsonb_to_recordset($3::jsonb) as given (id text, position int, message text,
       author_name text, author_email text, repository text, committed_at timestamptz, paths jsonb)
     on conflict (project_id, version, commit_id) do update set position = excluded.position,
       message = excluded.message, author_name = excluded.author_name,
       author_email = excluded.author_email, repository = excluded.repository,
       committed_at = excluded.committed_at, paths = excluded.paths`,
    [projectId, version, JSON.stringify(rows)],
  )
}

/** The author is a member of the organization of the project, found by the address. */
const columns = `c.commit_id, c.version, c.message, c.author_name, c.author_email, c.repository,
  c.committed_at, cardinality(c.paths) as file_count,
  author.id as person_id, author.name as person_name, author.email as person_email`
const withAuthor = `left join lateral (
    select p.id, p.name, p.email from people p
      join memberships m on m.person_id = p.id
      join projects on projects.organization_id = m.organization_id
    where projects.dsn_id = c.project_id and c.author_email <> ''
      and p.email = lower(c.author_email) limit 1
  ) as author on true`

export async function listCommits(
  pg: Database,
  { projectId, version, limit }: ReleaseKey & { readonly limit: number },
): Promise<StoredCommit[]> {
  const { rows } = await pg.query<StoredCommit>(
    `select ${columns} from release_commits c ${withAuthor}
     where c.project_id = $1 and c.version = $2 order by c.position limit $3`,
    [projectId, version, limit],
  )
  return rows
}

export async function hasCommitPaths(pg: Database, projectId: ProjectId): Promise<boolean> {
  const { rowCount } = await pg.query(
    `select 1 from release_commits where project_id = $1 limit 1`,
    [projectId],
  )
  return rowCount === 1
}

export interface PathsOfCommit {
  readonly commit_id: string
  readonly version: string
  readonly committed_at: Date | null
  readonly position: number
  readonly paths: readonly string[]
}

/** Of one commit. A commit with more is a merge or a move, which explains no single error. */
const pathsReadMax = 200

/** The files of the newest commits of these releases. */
export async function listCommitPaths(
  pg: Database,
  {
    projectId,
    versions,
    limit,
  }: {
    readonly projectId: ProjectId
    readonly versions: readonly string[]
    readonly limit: number
  },
): Promise<PathsOfCommit[]> {
  const { rows } = await pg.query<PathsOfCommit>(
    `select commit_id, version, committed_at, position, paths[1:${pathsReadMax}] as paths from release_commits
     where project_id = $1 and version = any($2) and paths <> '{}'
     order by array_position($2, version), position limit $3`,
    [projectId, versions, limit],
  )
  return rows
}

export async function findCommits(
  pg: Database,
  keys: { readonly projectId: ProjectId; readonly commits: readonly PathsOfCommit[] },
): Promise<StoredCommit[]> {
  const { rows } = await pg.query<StoredCommit>(
    `select ${columns} from unnest($2::text[], $3::text[]) as wanted (version, id)
       join release_commits c
         on c.project_id = $1 and c.version = wanted.version and c.commit_id = wanted.id
       ${withAuthor}`,
    [
      keys.projectId,
      keys.commits.map(({ version }) => version),
      keys.commits.map(({ commit_id }) => commit_id),
    ],
  )
  return rows
}
