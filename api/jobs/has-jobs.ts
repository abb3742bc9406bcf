import type { Database } from '../database.ts'

/**
 * Whether the job queue exists. Before the first start of a worker it may not; workers find what is
 * to be done by themselves when they start.
 */
export async function hasJobs(client: Database): Promise<boolean> {
  const { rows } = await client.query<{ ready: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as ready`,
  )
  return rows[0]?.ready === true
}
