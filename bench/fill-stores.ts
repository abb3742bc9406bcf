/**
 * Fills the stores like those of an older installation, by SQL statements: existing issues, and
 * additional projects.
 */
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'

export interface BenchProject {
  readonly projectId: string
  readonly publicKey: string
}

const rowsPerStatement = 50_000

/** Creates issues without events, each with one grouping hash. */
export async function fillIssues(
  postgresUrl: string,
  projectId: string,
  count: number,
): Promise<void> {
  await withPool(postgresUrl, async (pool) => {
    for (let from = 1; from <= count; from += rowsPerStatement) {
      const to = Math.min(count, from + rowsPerStatement - 1)
      await pool.query(
        `with made as (
           insert into issues (id, project_id, short_no, title, culprit, level, platform, substatus, count,
                               first_seen, last_seen)
           select gen_random_uuid(), $1, 1000000 + n, 'Error: it failed ' || n, 'app.step' || n, 'error', 'node',
                  'ongoing', 0, now() - interval '30 days', now() - make_interval(secs => n)
           from generate_series($2::int, $3::int) n returning id, short_no
         )
         insert into issue_hashes (project_id, hash, issue_id, explanation)
         select $1, md5('filled ' || short_no)::uuid, id, '{}' from made`,
        [projectId, from, to],
      )
    }
  })
}

/** Creates projects in the organization of the first one, each with a DSN key. */
export async function makeProjects(
  postgresUrl: string,
  beside: string,
  count: number,
): Promise<BenchProject[]> {
  return withPool(postgresUrl, async (pool) => {
    const { rows } = await pool.query<BenchProject>(
      `with made as (
         insert into projects (id, organization_id, name, short_name, project_key)
         select gen_random_uuid(), organization_id, 'Project ' || n, 'P' || n, gen_random_uuid()
         from projects, generate_series(1, $2::int) n where dsn_id = $1 returning id, dsn_id
       ), keys as (
         insert into dsn_keys (id, project_id, public_key)
         select gen_random_uuid(), id, md5(id::text) from made returning project_id, public_key
       )
       select made.dsn_id::text as "projectId", keys.public_key as "publicKey"
       from made join keys on keys.project_id = made.id`,
      [beside, count],
    )
    return rows
  })
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const options = { url, applicationName: 'sluice-bench', connectionsMax: 1 }
  const pool = createPool(
    { ...options, statementTimeoutMs: 120_000 },
    createLogger('bench', 'warn'),
  )
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}
