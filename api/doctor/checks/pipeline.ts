/** A quick look at the way of events: workers, partitions, dead letters, jobs. */
import type { Pool } from '#platform/postgres.ts'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { countText, durationText } from '../../operation/text/format-numbers.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const pipeline = of('pipeline')
const seenSecondsMax = 15
const jobSecondsMax = 900
const deadMax = 10_000
/** `upgrade --check` also looks at databases that do not have the column yet. */
const firstPartition = `coalesce((to_jsonb(installation) ->> 'first_partition')::int, 0)`

export const pipelineCheck: Check = {
  group: 'pipeline',
  run: async (ctx) => {
    const found = await ctx.postgres()
    if (found.state !== 'answers') return [pipeline.skipped('all', 'Needs Postgres.')]
    const { pool } = found.store
    return Promise.all([workers(pool), partitions(ctx, pool), deadLetters(pool), jobs(pool)])
  },
}

async function workers(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ alive: number }>(
    `select count(*) as alive from workers where seen_at > now() - interval '${seenSecondsMax} seconds'`,
  )
  const alive = rows[0]?.alive ?? 0
  if (alive > 0) {
    return pipeline.ok(
      'workers',
      `${alive} worker ${alive === 1 ? 'process is' : 'processes are'} alive.`,
    )
  }
  return pipeline.problem(
    'workers',
    `No worker process was seen in the last ${seenSecondsMax} s: events wait in the stream.`,
    'Start the workers.',
  )
}

async function partitions(ctx: DoctorContext, pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{
    partition: number
    seconds: number
    pending: boolean
    seq: number
  }>(
    `select partition, extract(epoch from now() - updated_at)::float8 as seconds,
       planned_seq > committed_seq as pending, committed_seq as seq
     from partition_cursors, installation
     where partition >= ${firstPartition} order by partition`,
  )
  const planned = rows.filter(
    ({ pending, seconds }) => pending && seconds > faultLimits.stuckSeconds,
  )
  if (planned.length > 0) {
    const names = planned.map(({ partition }) => partition).join(', ')
    const longest = Math.max(...planned.map(({ seconds }) => seconds))
    return pipeline.problem(
      'partitions',
      `Partition ${names} has a planned range that is not committed after ${durationText(longest)}.`,
      'Repair what range_failed or store_refuses_everything in the log of the workers names, or end the session that the check of locks names. Restart the workers if there is neither.',
    )
  }
  const newest = Math.min(...rows.map(({ seconds }) => seconds))
  const waiting = await messagesWaiting(ctx, Math.max(0, ...rows.map(({ seq }) => seq)))
  if (waiting > 0 && newest > faultLimits.stuckSeconds) {
    return pipeline.problem(
      'partitions',
      `${countText(waiting)} messages wait and no partition has moved for ${durationText(newest)}.`,
      'Start the workers, or read their log.',
    )
  }
  return pipeline.ok('partitions', `${rows.length} partitions, none is stuck.`)
}

/** Messages behind the last commit. With several streams their sequences cannot be compared. */
async function messagesWaiting(ctx: DoctorContext, committed: number): Promise<number> {
  const found = await ctx.nats()
  if (found.state !== 'answers') return 0
  const streams = found.store.jetStream?.streams ?? []
  const [only] = streams
  if (only === undefined || streams.length > 1) return 0
  return Math.max(0, only.state.last_seq - committed)
}

async function deadLetters(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) as count from (select 1 from dead_letters limit ${deadMax}) as kept`,
  )
  const count = rows[0]?.count ?? 0
  if (count === 0) return pipeline.ok('dead_letters', 'There are no dead letters.')
  const many = count === deadMax ? `${countText(count)} or more` : countText(count)
  return pipeline.warning(
    'dead_letters',
    `Dead letters are kept: ${many}.`,
    'See `npm run admin -- dead-letter list`; then retry or delete them.',
  )
}

async function jobs(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ oldest: number | null; failed: number; task: string | null }>(
    `select extract(epoch from now() - min(run_at) filter (where attempts < max_attempts and locked_at is null and run_at < now()))::float8 as oldest,
       count(*) filter (where attempts >= max_attempts and locked_at is null) as failed,
       min(task_identifier) filter (where attempts >= max_attempts and locked_at is null) as task
     from graphile_worker.jobs`,
  )
  const { oldest = null, failed = 0, task = null } = rows[0] ?? {}
  if (oldest !== null && oldest > jobSecondsMax) {
    return pipeline.problem(
      'jobs',
      `The oldest job is due for ${durationText(oldest)}.`,
      'Start a worker process, which runs the jobs.',
    )
  }
  if (failed > 0) {
    return pipeline.warning(
      'jobs',
      `${countText(failed)} ${failed === 1 ? 'job has' : 'jobs have'} failed for good (${task}).`,
      'Read last_error in graphile_worker.jobs, repair the cause, and run the job again.',
    )
  }
  return pipeline.ok('jobs', 'No job is late, and none has failed.')
}
