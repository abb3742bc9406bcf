/**
 * A dead letter that is retried through a real Postgres, broker and ClickHouse is stored once, and
 * the accounting is exact.
 */
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ingestStream } from '#schemas/bus/subjects.ts'
import { DigestBench, type TestRun } from '../../test/fixtures/digest-bench.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { DeadLetterPublisher } from '../dead-letters/dead-letter-publisher.ts'

let bench: DigestBench

beforeAll(async () => {
  bench = await DigestBench.start()
})

afterAll(async () => {
  await bench?.stop()
})

afterEach(async () => {
  await allowRefused()
  await bench.reset()
  await bench.pg.query('delete from dead_letters')
})

const refuse = () =>
  bench.pg.query(
    `alter table issues add constraint refuses check (title not like 'Refused%') not valid`,
  )
const allowRefused = () => bench.pg.query('alter table issues drop constraint if exists refuses')
const publisher = () =>
  new DeadLetterPublisher(bench.pg, bench.nats, { first: 0, partitions: 1, streams: 1 }, 0)
const deadLetters = async () =>
  (await bench.pg.query('select * from dead_letters order by id')).rows

async function request(): Promise<void> {
  await bench.pg.query('update dead_letters set retry_requested_at = now()')
}

/** The event ids are made of `round` and the index; without `round` they are new. */
function publish(types: readonly string[], round?: string): Promise<number> {
  const counter = bench.nextCounter()
  const events = types.map((type, index) => ({
    name: `${bench.project} ${round ?? counter} ${index}`,
    projectId: bench.project,
    type,
  }))
  return bench.publishBytes(
    eventFrame({ instanceId: hashOf('instance'), partition: 0, counter }, events),
  )
}

async function outcomes(): Promise<Record<string, number>> {
  const result = await bench.clickhouse.query({
    query: `select concat(outcome, ' ', reason) as name, toInt32(sum(quantity)) as n
            from outcomes where project_id = ${bench.project} group by name having n != 0`,
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ name: string; n: number }>()
  return Object.fromEntries(rows.map(({ name, n }) => [name.trim(), n]))
}

async function quotaUsed(): Promise<number> {
  const { rows } = await bench.pg.query(
    'select coalesce(sum(used), 0)::int as used from quota_usage where project_id = $1',
    [bench.project],
  )
  return rows[0].used
}

/** Expects that events, counts, outcomes and quota agree. */
async function expectAccounts(accepted: number, rejected: number): Promise<void> {
  await bench.expectExactly(accepted)
  const refused = rejected === 0 ? {} : { 'rejected undigestible': rejected }
  await expect.poll(outcomes).toEqual({ accepted, ...refused })
  expect(await quotaUsed()).toBe(accepted)
}

/** Starts with two stored events and one dead letter. */
async function withDeadLetter(): Promise<TestRun> {
  await refuse()
  const run = await bench.startRun()
  await publish(['Refused', 'Boom', 'Boom'], 'first')
  await expectAccounts(2, 1)
  expect(await deadLetters()).toHaveLength(1)
  return run
}

test('a retried record is stored once and its former outcome is removed; a second retry changes nothing', async () => {
  const run = await withDeadLetter()
  await allowRefused()
  await request()
  expect(await publisher().publish()).toBe(1)
  await expectAccounts(3, 0)
  expect(await deadLetters()).toEqual([])
  expect(await publisher().publish()).toBe(0)

  // Publishes the frame once more, like a process that paused after it had read the table; the
  // broker no longer knows its message id.
  const { streams } = await jetstreamManager(bench.nats)
  const { state } = await streams.info(ingestStream)
  const message = await streams.getMessage(ingestStream, { seq: state.last_seq })
  const repeated = await run.count('framesRepeated')
  await bench.publishBytes(message!.data)
  await expect.poll(() => run.count('framesRepeated')).toBe(repeated + 1)
  await publish(['Boom'])
  await expectAccounts(4, 0)
})

test('a retried record that is refused again becomes a dead letter again', async () => {
  await withDeadLetter()
  const [before] = await deadLetters()
  await request()
  await publisher().publish()
  const newestId = async () => (await deadLetters())[0]?.id
  await expect.poll(newestId).toBeGreaterThan(before.id)
  const [after, ...others] = await deadLetters()
  expect(others).toEqual([])
  const same = [
    'project_id',
    'kind',
    'dsn_key_no',
    'received_at',
    'record_id',
    'address',
    'header',
    'bytes',
  ]
  for (const column of same) expect(after[column]).toEqual(before[column])
  expect(after).toMatchObject({ retry_requested_at: null, retry_instance_id: null })
  await expectAccounts(2, 1)
  await allowRefused()
  await request()
  await publisher().publish()
  await expectAccounts(3, 0)
})

test('a retried record counts once when its frame is published twice and an owner crashes between insert and commit', async () => {
  const first = await withDeadLetter()
  await allowRefused()
  await first.stop()
  await request()
  await publisher().publish()
  // The state after a crash: the publication was not recorded, and the broker no longer knows the
  // message id.
  await bench.pg.query('update dead_letters set retry_sent_at = null')
  const { rows } = await bench.pg.query('select retry_instance_id from dead_letters')
  expect(rows).toHaveLength(1)
  await publisher().publish()
  const second = await bench.startRun((run) => {
    run.commitFaults.push(...new Array<Error>(100).fill(new Error('a fault of this test')))
  })
  await expect.poll(() => second.inserts.length).toBeGreaterThanOrEqual(2)
  await second.stop()
  await bench.startRun()
  await expectAccounts(3, 0)
  expect(await deadLetters()).toEqual([])
})

test('a retried event that its client has resent meanwhile is a duplicate', async () => {
  await withDeadLetter()
  await allowRefused()
  await publish(['Refused'], 'first')
  await bench.expectExactly(3)
  await request()
  await publisher().publish()
  await expect.poll(deadLetters).toEqual([])
  await expect.poll(outcomes).toEqual({ accepted: 3, duplicate: 1 })
  await bench.expectExactly(3)
  expect(await quotaUsed()).toBe(3)
})
