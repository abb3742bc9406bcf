/** The operator's view of all processes and stores. Ratios are from 0 to 1, sizes are in bytes. */
import { z } from 'zod'

const number = z.number().nullable()
const reason = z.string().describe('Why it does not answer.')

export const OperationProcess = z.object({
  name: z.string().describe('Unique in this reply.'),
  kind: z.enum(['ingest', 'workers', 'mailer', 'api', 'unknown']),
  address: z.string().describe('Host and port of its metrics.'),
  state: z.enum(['ready', 'not ready', 'does not answer', 'unknown']),
  reasons: z.array(z.string()).describe('Why it is not ready, or what it lacks while it is.'),
  version: z.string().nullable(),
  installation: z.string().nullable(),
  since: z.iso.datetime().nullable().describe('When it was started.'),
  cpu_cores: number.describe('1 is one core. Null before the second snapshot, like all rates.'),
  memory_bytes: number,
  event_loop_lag_seconds: number.describe('Mean delay; a free process has about 0.01.'),
  rate: z
    .object({ unit: z.enum(['requests', 'events', 'emails']), per_second: z.number() })
    .nullable(),
})

export const OperationPartition = z.object({
  partition: z.string(),
  owner: z.string().nullable().describe('Name of the process that reads it.'),
  lag_seconds: number,
  lag_events: number,
  since_commit_seconds: number,
  stuck_seconds: z.number(),
  store_fault: z.boolean().describe('A store refuses every record of it.'),
  postgres_older: z.boolean().describe('It waits for `admin reconcile`.'),
})

const away = z.object({ state: z.literal('does not answer'), reason })

export const OperationPostgres = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('answers'),
    version: z.string(),
    size_bytes: z.number(),
    connections: z.object({
      used: z.number(),
      limit: z.number(),
      by_application: z.array(z.object({ name: z.string(), count: z.number() })),
    }),
    oldest_transaction: z
      .object({ seconds: z.number(), application: z.string(), state: z.string() })
      .nullable()
      .describe('The transaction of a client that is open for the longest time.'),
    waiting_for_locks: z.number().describe('Sessions that wait for a lock.'),
    cache_hit_ratio: number.describe(
      'Share of pages that were in memory, since the statistics began.',
    ),
  }),
  away,
])

export const OperationClickHouse = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('answers'),
    version: z.string(),
    rows: z.number(),
    bytes: z.number(),
    parts: z.number(),
    merges: z.number().describe('Merges that run now.'),
    tables: z
      .array(
        z.object({
          name: z.string(),
          rows: z.number(),
          bytes: z.number(),
          parts: z.number(),
        }),
      )
      .describe('The 20 largest.'),
  }),
  away,
])

export const OperationJobs = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('answers'),
    tasks: z
      .array(
        z.object({
          task: z.string(),
          waiting: z.number().describe('Due, and not running.'),
          running: z.number(),
          scheduled: z.number().describe('Due later, or waiting for their next attempt.'),
          failed: z.number().describe('Failed on every attempt.'),
        }),
      )
      .describe('Tasks that have jobs. The first 50,000 jobs are counted.'),
    oldest_seconds: number.describe('How long the oldest job that is due waits.'),
  }),
  away,
])

export const OperationDeadLetters = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('answers'),
    reasons: z.array(
      z.object({
        reason: z.string(),
        count: z.number().describe('Counted up to 10,000.'),
        oldest_at: z.iso.datetime(),
        newest_at: z.iso.datetime(),
      }),
    ),
  }),
  away,
])

export const OperationAdvice = z.object({
  code: z.string(),
  severity: z.enum(['warning', 'problem']),
  text: z.string().describe('What is wrong.'),
  action: z.string().describe('What to do.'),
  page: z.string().describe('Path of the page of the documentation that says more.'),
})

export const Operation = z
  .object({
    at: z.iso.datetime().describe('A snapshot is shared for two seconds.'),
    advice: z.array(OperationAdvice).describe('The most important first. Empty: nothing to do.'),
    processes: z
      .array(OperationProcess)
      .describe('Empty if the API knows no process: set `SLUICE_METRICS_URLS`.'),
    ingest: z
      .object({
        requests_per_second: z.record(z.string(), z.number()).nullable(),
        frames_per_second: number,
        requests_pending: z.number(),
        log_bytes: z.number().describe('Size of the write-ahead logs.'),
        log_limit_bytes: number,
        oldest_frame_seconds: number,
        broker_away: z.number().describe('Processes that the broker accepts no frames from.'),
        quota_away: z.number(),
      })
      .nullable(),
    workers: z.object({ events_per_second: number }).nullable(),
    partitions: z.array(OperationPartition),
    streams: z.array(
      z.object({
        name: z.string(),
        used_bytes: number,
        limit_bytes: number,
        full_ratio: number,
      }),
    ),
    mail: z
      .object({
        lanes: z.array(
          z.object({ lane: z.string(), waiting: z.number(), oldest_seconds: z.number() }),
        ),
        sent_per_second: number,
        smtp_away: z.boolean(),
      })
      .nullable(),
    drops: z.array(z.object({ outcome: z.string(), reason: z.string(), per_minute: z.number() })),
    disks: z.array(
      z.object({
        process: z.string(),
        folder: z.string(),
        free_bytes: z.number(),
        size_bytes: number,
        full_seconds: number.describe('Time until it is full. Null: it does not fill.'),
      }),
    ),
    clocks: z.array(z.object({ process: z.string(), offset_seconds: z.number() })),
    missing: z.array(z.object({ dependency: z.string(), processes: z.array(z.string()) })),
    last_backup_at: z.iso.datetime().nullable(),
    jobs: OperationJobs,
    dead_letters: OperationDeadLetters,
    postgres: OperationPostgres,
    clickhouse: OperationClickHouse,
  })
  .meta({ id: 'Operation' })
export type Operation = z.infer<typeof Operation>
