/**
 * Takes the advisory locks by which workers own partitions. Workers end the connections of holders
 * that they do not know, so this connection is registered as a leaving worker: alive, and without a
 * share of the partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '#platform/clock.ts'
import { lockSpace } from '#platform/partition-lock.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { PartitionLocks } from './reconcile-context.ts'

const reportEveryMs = 1_000
const tryEveryMs = 50
/**
 * A worker keeps a partition whose Postgres is older for a few seconds before it releases it for a
 * moment. Two such times.
 */
const waitMsMax = 15_000

export async function openPartitionLocks(postgresUrl: string): Promise<PartitionLocks> {
  const client = new pg.Client({
    connectionString: postgresUrl,
    application_name: 'sluice-reconcile-locks',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
  })
  let lost: Error | undefined
  client.on('error', (error) => {
    lost ??= error
  })
  client.on('end', () => {
    lost ??= new Error('the connection ended')
  })
  await client.connect()
  const id = uuidv7()
  // One query at a time.
  let last: Promise<unknown> = Promise.resolve()
  const query = <Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[]) => {
    const answer = last.then(() => client.query<Row>(sql, [...values]))
    last = answer.catch(() => undefined)
    return answer
  }
  const report = () =>
    query(
      `insert into workers (id, seen_at, lock_backend_pid, leaving) values ($1, now(), pg_backend_pid(), true)
       on conflict (id) do update set seen_at = now()`,
      [id],
    )
  await report()
  const timer = setInterval(() => {
    report().catch((error: Error) => {
      lost ??= error
    })
  }, reportEveryMs)
  const expectHeld = () => {
    if (lost === undefined) return
    throw new Error(`the connection that holds the partitions was lost: ${lost.message}`)
  }
  return {
    expectHeld,
    acquire: async (partition) => {
      const deadlineMs = systemClock.monotonicMs() + waitMsMax
      while (true) {
        expectHeld()
        const { rows } = await query<{ locked: boolean }>(
          'select pg_try_advisory_lock($1, $2) as locked',
          [lockSpace, partition],
        )
        if (rows[0]?.locked === true) return
        if (systemClock.monotonicMs() > deadlineMs) {
          throw new CodedError('conflict', {
            message: `A worker digests partition ${partition}, or another reconciliation runs: stop the workers, and run this again.`,
          })
        }
        await sleep(tryEveryMs)
      }
    },
    close: async () => {
      clearInterval(timer)
      await query('delete from workers where id = $1', [id]).catch(() => undefined)
      // Ends the locks too.
      await client.end().catch(() => undefined)
    },
  }
}
