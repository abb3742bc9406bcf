/**
 * Records that a real Postgres or ClickHouse refuses. A constraint that only these tests violate
 * takes the place of a value out of range.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DigestBench } from '../../test/fixtures/digest-bench.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'

let bench: DigestBench

beforeAll(async () => {
  bench = await DigestBench.start()
  // Up to thirty seconds otherwise.
  bench.pauseShare = 0.05
  await bench.pg.query(
    `alter table issues add constraint refuses check (title not like 'Refused%')`,
  )
  await bench.clickhouse.command({
    query: `alter table events add constraint refuses check title not like 'Unparsed%'`,
  })
})

afterAll(async () => {
  await bench?.stop()
})

afterEach(async () => {
  await bench.reset()
})

/** Publishes one frame; the exception types name the issues. */
function publish(types: readonly string[]): Promise<number> {
  const counter = bench.nextCounter()
  const events = types.map((type, index) => ({
    ...{ name: `${counter} ${index}`, projectId: bench.project, type },
  }))
  return bench.publishBytes(
    eventFrame({ instanceId: hashOf('instance'), partition: 0, counter }, events),
  )
}

async function deadLetters() {
  const { rows } = await bench.pg.query(
    'select stream_seq, record_index, reason, detail from dead_letters where project_id = $1 order by id',
    [bench.project],
  )
  return rows
}

describe('A record that Postgres refuses', () => {
  test('becomes a dead letter with the reason, and all other records are stored once', async () => {
    const run = await bench.startRun()
    const first = await publish(['Boom', 'Refused', 'Boom'])
    await publish(['Boom', 'Other'])
    await bench.expectExactly(4)
    expect(await deadLetters()).toEqual([
      {
        stream_seq: first,
        record_index: 1,
        reason: 'undigestible',
        detail: expect.stringContaining('violates check constraint "refuses"'),
      },
    ])
    expect(await run.count('rangesUndone')).toBe(1)
    expect(run.end).toBeUndefined()
  })

  test('is found before the plan when a similar record was refused recently', async () => {
    const run = await bench.startRun()
    await publish(['Refused', 'Boom'])
    await bench.expectExactly(1)
    await publish(['Boom', 'Refused'])
    await bench.expectExactly(2)
    expect(await run.count('rangesUndone')).toBe(1)
    expect(await deadLetters()).toHaveLength(2)
  })

  test('in the planned range of a former owner leads to an undo of the range and does not block the partition', async () => {
    const first = await bench.startRun((run) => {
      run.commitFaults.push(...new Array<Error>(100).fill(new Error('a fault of this test')))
    })
    await publish(['Boom', 'Refused'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    await bench.startRun()
    await bench.expectExactly(1)
    expect(await deadLetters()).toHaveLength(1)
  })
})

test('a row that ClickHouse refuses only on insert finally turns its frame into dead letters', async () => {
  await bench.startRun()
  const refused = await publish(['Boom', 'Unparsed'])
  await expect.poll(deadLetters).toHaveLength(2)
  const detail = expect.stringContaining('ClickHouse refused rows')
  const email = { stream_seq: refused, detail }
  expect(await deadLetters()).toMatchObject([email, email])
  await publish(['Boom'])
  await bench.expectExactly(1)
})

test('a frame that ClickHouse refuses is given up although earlier frames are read again before it', async () => {
  await bench.startRun()
  for (let count = 1; count <= 3; count += 1) {
    await publish(['Boom'])
    await bench.expectExactly(count)
  }
  await publish(['Unparsed'])
  await expect.poll(deadLetters).toHaveLength(1)
  await publish(['Boom'])
  await bench.expectExactly(4)
})

describe('A store that refuses every record', () => {
  const storeCases = [
    {
      store: 'Postgres',
      breaks: () =>
        bench.pg.query(`alter table issues add constraint broken check (false) not valid`),
      mends: () => bench.pg.query('alter table issues drop constraint broken'),
    },
    {
      store: 'ClickHouse',
      breaks: () =>
        bench.clickhouse.command({
          query: `alter table events add constraint broken check empty(title)`,
        }),
      mends: () => bench.clickhouse.command({ query: 'alter table events drop constraint broken' }),
    },
  ]

  test.each(storeCases)(
    '$store: no range is undone and no record set aside, and all are stored after the repair',
    async ({ breaks, mends }) => {
      const run = await bench.startRun()
      await breaks()
      try {
        await publish(['Boom', 'Boom'])
        await publish(['Other'])
        await expect.poll(() => run.storeFaultSinceMs).toBeDefined()
        const failed = await run.count('rangesFailed')
        await expect.poll(() => run.count('rangesFailed')).toBeGreaterThanOrEqual(failed + 2)
      } finally {
        await mends()
      }
      expect(await deadLetters()).toEqual([])
      await bench.expectExactly(3)
      expect(await deadLetters()).toEqual([])
      expect(await run.count('rangesUndone')).toBe(0)
      expect(run.storeFaultSinceMs).toBeUndefined()
    },
  )

  test('also blocks the search for a refused record', async () => {
    const run = await bench.startRun()
    await publish(['Refused', 'Boom'])
    await bench.expectExactly(1)
    const [postgres] = storeCases
    await postgres!.breaks()
    try {
      await publish(['Boom', 'Other'])
      await expect.poll(() => run.storeFaultSinceMs).toBeDefined()
    } finally {
      await postgres!.mends()
    }
    await bench.expectExactly(3)
    expect(await deadLetters()).toHaveLength(1)
  })

  test('stops the partition for at most an hour', async () => {
    const run = await bench.startRun()
    const [postgres] = storeCases
    await postgres!.breaks()
    try {
      await publish(['Boom', 'Other'])
      await expect.poll(() => run.storeFaultSinceMs).toBeDefined()
      run.clockAheadMs += 3_600_000
      await expect.poll(deadLetters).toHaveLength(2)
    } finally {
      await postgres!.mends()
    }
    await publish(['Boom'])
    await bench.expectExactly(1)
    expect(run.storeFaultSinceMs).toBeUndefined()
  })
})
