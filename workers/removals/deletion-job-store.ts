/**
 * The job that runs one deletion. One deletion runs at a time over all processes, so that deletions
 * never occupy the whole job queue.
 */
import type { TaskList } from 'graphile-worker'
import { z } from 'zod'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { deletionPorts, type RemovalContext } from './deletion-ports.ts'
import { listUnfinished } from './deletion-row-store.ts'
import { runDeletion } from './run-deletion.ts'

const Payload = z.object({ id: z.uuid() })
/** Time until a deletion that waits is looked at again. */
const waitMs = 5_000
/** Key of the advisory lock that the running deletion holds. */
const lockKey = 8033

export const deletionTask = 'run_deletion'
export const deletionJobKey = (id: string) => `deletion:${id}`

export function deletionTasks(ctx: RemovalContext & { readonly log: Logger }): TaskList {
  return {
    [deletionTask]: async (payload, helpers) => {
      const { id } = Payload.parse(payload)
      const end = await withLock(ctx.pg, async () => runDeletion(await deletionPorts(ctx), id))
      if (end === 'done') {
        ctx.log.info({ code: 'deletion_done', deletion: id }, 'A deletion is done.')
        return
      }
      const runAt = new Date(ctx.clock.nowMs() + waitMs)
      await helpers.addJob(deletionTask, { id }, { jobKey: deletionJobKey(id), runAt })
    },
  }
}

/**
 * Enqueues deletions that have no job: those that were requested before the job queue existed,
 * whose worker was killed, or whose job has used up its retries.
 */
export async function resumeDeletions(
  pg: Pool,
  addJob: (task: string, payload: object, options: { jobKey: string }) => Promise<unknown>,
): Promise<void> {
  for (const id of await listUnfinished(pg)) {
    await addJob(deletionTask, { id }, { jobKey: deletionJobKey(id) })
  }
}

/** Returns `waiting` when another process runs a deletion. */
async function withLock<T>(pg: Pool, work: () => Promise<T>): Promise<T | 'waiting'> {
  const client = await pg.connect()
  let broken: Error | undefined
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [lockKey],
    )
    if (rows[0]?.locked !== true) return 'waiting'
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lockKey]).catch((error: Error) => {
        broken = error
      })
    }
  } finally {
    client.release(broken)
  }
}
