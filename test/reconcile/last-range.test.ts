/**
 * Reconciles an older Postgres with real engines and one partition: every state in which the last
 * range may be, and interruptions at every call to a database.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { openPartitionLocks } from '../../api/reconcile/partition-locks-store.ts'
import { reconcile } from '../../api/reconcile/reconcile.ts'
import type { ReconcileContext } from '../../api/reconcile/reconcile-context.ts'
import { natsStreamReader } from '../../api/reconcile/stream-reader-store.ts'
import { DigestBench, type TestRun } from '../fixtures/digest-bench.ts'
import { testInstallationId } from '../fixtures/processes/bus.ts'
import { copyTables } from '../fixtures/processes/table-copy.ts'

let bench: DigestBench

beforeAll(async () => {
  bench = await DigestBench.start()
})

afterAll(async () => {
  await bench?.stop()
})

afterEach(async () => {
  await bench.reset()
})

const actor = { personId: null, name: 'test', via: 'command_line', ip: null } as const
const fault = new Error('a fault of this test')
const forEver = new Array<Error>(1_000).fill(fault)

function context(
  parts: Partial<Pick<ReconcileContext, 'pg' | 'clickhouse'>> = {},
): ReconcileContext {
  return {
    pg: bench.pg,
    clickhouse: bench.clickhouse,
    streams: natsStreamReader(bench.nats, {
      installationId: testInstallationId,
      layout: { first: 0, partitions: 1, streams: 1 },
      next: undefined,
    }),
    openLocks: () => openPartitionLocks(bench.stores.postgresUrl),
    clock: systemClock,
    say: () => undefined,
    ...parts,
  }
}

const run = (parts: Parameters<typeof context>[0] = {}, dryRun = false) =>
  reconcile(context(parts), actor, { dryRun })
const runFull = (dryRun = false, projectId?: number) =>
  reconcile(context(), actor, { dryRun, full: true, projectId })

/** Digests the frames in ranges of their own, and stops the owner. */
async function digest(
  frames: readonly (readonly string[])[],
  faults: Partial<TestRun> = {},
): Promise<number> {
  let last = 0
  for (const names of frames) last = await bench.publish(names)
  const owner = await bench.startRun((run) => {
    run.takeFromSeq = last
    run.insertFaults.push(...(faults.insertFaults ?? []))
    run.commitFaults.push(...(faults.commitFaults ?? []))
  })
  const isFaulty = faults.insertFaults !== undefined || faults.commitFaults !== undefined
  if (isFaulty) await expect.poll(() => owner.count('rangesFailed')).toBeGreaterThanOrEqual(1)
  else await expect.poll(async () => (await bench.cursor()).committed_seq).toBe(last)
  await owner.stop()
  return last
}

/** Everything that counts events, of which all must agree. */
async function expectEverywhere(events: number): Promise<void> {
  await bench.expectExactly(events)
  const { rows } = await bench.pg.query(
    `select (select sum(count)::int from hash_sums where project_id = $1) as hashes,
       (select sum(used)::int from quota_usage where project_id = $1) as quota,
       (select count(*)::int from issues where project_id = $1) as issues`,
    [bench.project],
  )
  expect(rows[0]).toEqual({ hashes: events, quota: events, issues: 1 })
}

interface Case {
  readonly faults: Partial<Record<'insertFaults' | 'commitFaults', (Error | undefined)[]>>
  /** What happens to the stream before Postgres is put back. */
  readonly loses?: 'messages' | 'stream'
  readonly end: 'kept' | 'replayed'
  /** Ingest sends the frames of the last range again. */
  readonly resends?: boolean
}

// biome-ignore format: the columns are the point
const cases: readonly [string, Case][] = [
  ['was committed                              ', { faults: {}, end: 'replayed' }],
  ['was committed and purged                   ', { faults: {}, loses: 'messages', end: 'kept' }],
  ['was committed, and the stream is another one', { faults: {}, loses: 'stream', end: 'kept' }],
  ['was inserted and not committed             ', { faults: { commitFaults: forEver }, end: 'replayed' }],
  ['was inserted but for its outcomes          ', { faults: { insertFaults: [undefined, ...forEver] }, end: 'replayed' }],
  ['was inserted but for its outcomes, and the broker lost it', { faults: { insertFaults: [undefined, ...forEver] }, loses: 'stream', end: 'kept' }],
  ['was not inserted                           ', { faults: { insertFaults: forEver }, end: 'replayed' }],
  ['was not inserted, and the broker lost it   ', { faults: { insertFaults: forEver }, loses: 'stream', end: 'replayed', resends: true }],
]

describe('The last range', () => {
  test.each(cases)(
    '%s: every event is counted once',
    async (_name, { faults, loses, end, resends }) => {
      bench.restartCounters()
      await digest([['a', 'b']])
      const putBack = await copyTables(bench.pg)
      await digest([['c', 'd', 'e']])
      const last = await digest([['f', 'g']], faults as unknown as Partial<TestRun>)
      if (loses === 'messages') await bench.purgeBelow(last + 1)
      if (loses === 'stream') await bench.replaceStream()
      await putBack()
      expect(await bench.issueCount()).toBe(2)

      const rehearsed = await run({}, true)
      expect(await bench.issueCount()).toBe(2)
      const report = await run()
      expect(report.partitions).toEqual(rehearsed.partitions)
      expect(report.partitions).toMatchObject([{ partition: 0, last_range: end }])
      expect((await run()).partitions).toEqual([])

      await bench.startRun()
      if (resends === true) await bench.publish(['f', 'g'], 2)
      await expectEverywhere(7)
      // A frame that was digested before the restore is known, and new ones are counted.
      await bench.publish(['c', 'd', 'e'], 1)
      await bench.publish(['h'], 3)
      await expectEverywhere(8)
    },
  )
})

describe('The full comparison', () => {
  /** Moves the cursor on without counts, like a version that did not notice the older Postgres. */
  async function loseCounts(): Promise<void> {
    await digest([['a', 'b']])
    const putBack = await copyTables(bench.pg)
    const last = await digest([['c', 'd', 'e'], ['f']])
    const { rows } = await bench.pg.query('select * from partition_cursors where partition = 0')
    await bench.purgeBelow(last + 1)
    await putBack()
    const [{ generation, committed_seq, planned_seq, incarnation }] = rows
    await bench.pg.query(
      `update partition_cursors set generation = $1, committed_seq = $2, planned_seq = $3,
         incarnation = $4 where partition = 0`,
      [generation, committed_seq, planned_seq, incarnation],
    )
  }

  /** What leases reserve is used quota, and hides as much that is missing. */
  async function leaseUnits(units: number): Promise<void> {
    await bench.pg.query(
      `insert into quota_leases (project_id, period, units, boot_id, request_no)
       select $1, period, $2, gen_random_uuid(), 1 from quota_usage where project_id = $1`,
      [bench.project, units],
    )
    await bench.pg.query('update quota_usage set used = used + $2 where project_id = $1', [
      bench.project,
      units,
    ])
  }

  test('adds what no partition shows to be missing, once', async () => {
    bench.restartCounters()
    await loseCounts()
    await leaseUnits(3)
    expect((await run()).partitions).toEqual([])
    expect(await bench.issueCount()).toBe(2)

    const rehearsed = await runFull(true)
    expect(rehearsed).toMatchObject({ dry_run: true, partitions: [], events_missing: 4 })
    expect(await bench.issueCount()).toBe(2)
    const report = await runFull()
    expect(report).toEqual({ ...rehearsed, dry_run: false })
    await expectEverywhere(6)
    expect(await runFull()).toMatchObject({ partitions: [], events_missing: 0 })
    await bench.startRun()
    await bench.publish(['g'])
    await expectEverywhere(7)
  })

  test('leaves the other projects as they are when one is given', async () => {
    bench.restartCounters()
    await loseCounts()
    expect(await runFull(false, bench.project + 1)).toMatchObject({ events_missing: 0 })
    expect(await bench.issueCount()).toBe(2)
    expect(await runFull(false, bench.project)).toMatchObject({ events_missing: 4 })
    await expectEverywhere(6)
  })

  test('keeps counts that are larger than their rows, and the rows of deleted issues out', async () => {
    bench.restartCounters()
    await loseCounts()
    await bench.pg.query('update hash_sums set count = 100 where project_id = $1', [bench.project])
    expect(await runFull()).toMatchObject({ events_missing: 0 })
    await bench.pg.query('update hash_sums set count = 2 where project_id = $1', [bench.project])
    await bench.pg.query(
      `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count,
         sampled_count, hashes, partitions, generations, committed_seqs)
       select project_id, issue_id, 1, '{}', 2, 0, array_agg(hash), '{}', '{}', '{}'
       from issue_hashes where project_id = $1 group by issue_id, project_id`,
      [bench.project],
    )
    expect(await runFull()).toMatchObject({ events_missing: 0 })
    expect(await bench.issueCount()).toBe(2)
  })

  test('also counts a partition that differs, and a rehearsal says the same', async () => {
    bench.restartCounters()
    await loseCounts()
    const putBack = await copyTables(bench.pg)
    const last = await digest([['g'], ['h', 'i']])
    await bench.purgeBelow(last + 1)
    await putBack()
    const rehearsed = await runFull(true)
    const report = await runFull()
    expect(report).toEqual({ ...rehearsed, dry_run: false })
    expect(report).toMatchObject({ partitions: [{ partition: 0, events: 3 }], events_missing: 4 })
    await expectEverywhere(9)
  })
})

test('streams with frames of a layout that Postgres does not know are reported', async () => {
  const lost = { first: 3, partitions: 2, streams: 1 }
  const options = { bytesMax: 1024 ** 2, replicas: 1, installationId: testInstallationId }
  await ensureIngestStreams(bench.nats, { ...lost, ...options })
  try {
    expect((await run()).lost_layouts).toEqual([])
    await jetstream(bench.nats).publish('ingest.4', 'frame')
    expect((await run()).lost_layouts).toEqual([{ first_partition: 3, partitions: 2, streams: 1 }])
  } finally {
    await (await jetstreamManager(bench.nats)).streams.delete('INGEST_3')
  }
})

/** Throws from the n-th call to a database on, as a process that is killed there. */
class Killer {
  calls = 0
  readonly at: number

  constructor(at: number) {
    this.at = at
  }

  check(): void {
    this.calls += 1
    if (this.calls >= this.at) throw new Error('killed')
  }

  pool(pool: Pool): Pool {
    const checked = <T extends Pool | PoolClient>(target: T): T =>
      new Proxy(target, {
        get: (object, name) => {
          const value = Reflect.get(object, name) as unknown
          if (typeof value !== 'function') return value
          if (name === 'query') {
            return (...args: unknown[]) => {
              // The rollback is what Postgres does when the connection ends.
              if (args[0] !== 'rollback') this.check()
              return Reflect.apply(value, object, args)
            }
          }
          if (name === 'connect') {
            return async () => checked((await Reflect.apply(value, object, [])) as PoolClient)
          }
          return value.bind(object)
        },
      })
    return checked(pool)
  }

  clickhouse(client: ClickHouseClient): ClickHouseClient {
    return new Proxy(client, {
      get: (object, name) => {
        const value = Reflect.get(object, name) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'query' || name === 'exec') this.check()
          return Reflect.apply(value, object, args)
        }
      },
    })
  }
}

test('a reconciliation that is killed at every call is repeated, and counts once', async () => {
  bench.restartCounters()
  await digest([['a', 'b']])
  const putBack = await copyTables(bench.pg)
  await digest([['c']])
  const last = await digest([['d', 'e']])
  await bench.purgeBelow(last + 1)
  await putBack()
  let kills = 0
  for (let at = 1; ; at += 3) {
    const killer = new Killer(at)
    const parts = { pg: killer.pool(bench.pg), clickhouse: killer.clickhouse(bench.clickhouse) }
    const end = await run(parts).catch((error: Error) => error.message)
    if (end !== 'killed') break
    kills += 1
  }
  expect(kills).toBeGreaterThan(10)
  await bench.startRun()
  await bench.publish(['f'], 3)
  await expectEverywhere(6)
})
