/**
 * Undo on a real ClickHouse, which keeps tokens by partition of a table: a range here spans two
 * weeks and two months.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { rangeToken } from '#platform/clickhouse-token.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { planOf } from '../../test/fixtures/workers/test-partition.ts'
import { digestRange } from '../digest/digest-range.ts'
import {
  type Cursor,
  DataRefusedError,
  type RangePlan,
  type RowInsert,
} from '../partitions/ports.ts'
import { ClickHouseRowStore } from '../rows/row-store.ts'

const projectId = 5 as ProjectId
const instanceId = hashOf('boot')
const weekMs = 7 * 86_400_000
const monday = Date.UTC(2026, 10, 30)
let stores: TestStores
let clickhouse: ClickHouseClient
let rows: ClickHouseRowStore
let partition = 0

beforeAll(async () => {
  stores = await startStores()
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
  rows = new ClickHouseRowStore(clickhouse)
})

afterAll(async () => {
  await clickhouse?.close()
  await stores?.stop()
})

beforeEach(async () => {
  partition += 1
  await clickhouse.command({ query: 'truncate table events' })
  await clickhouse.command({ query: 'truncate table outcomes' })
})

interface Range {
  readonly cursor: Cursor
  readonly plan: RangePlan
  readonly events: RowInsert
  /** The rows of the first week. */
  readonly firstWeek: Uint8Array
  readonly outcomes: RowInsert
}

/**
 * A range of two events that are a week apart; the Monday between them is in another month than the
 * day after it.
 */
function rangeOf(generation: number, committedSeq: number): Range {
  const cursor = {
    ...{ partition, epoch: 1, generation, committedSeq },
    plannedSeq: committedSeq + 2,
  }
  const frames = [monday - 3_600_000, monday + 2 * 86_400_000].map((receivedAtMs, index) => {
    const counter = committedSeq + index
    const name = `${generation} ${counter}`
    const bytes = eventFrame({ instanceId, partition, counter }, [
      { name, projectId, receivedAtMs },
    ])
    return { streamSeq: counter + 1, bytes }
  })
  const settings = { partition, generation, retentionDays: 1_000 }
  const output = digestRange({ ...settings, frames })
  return {
    cursor,
    plan: planOf(cursor.plannedSeq, {
      settings: {
        retentionDays: 1_000,
        rowsHash: '',
        weeks: [(monday - weekMs) / 1000, monday / 1000],
      },
      outcomeRows: output.outcomeRows,
    }),
    firstWeek: digestRange({ ...settings, frames: frames.slice(0, 1) }).eventRows,
    events: { table: 'events', rows: output.eventRows, token: rangeToken(cursor, 'events') },
    outcomes: {
      table: 'outcomes',
      rows: output.outcomeRows,
      token: rangeToken(cursor, 'outcomes'),
    },
  }
}

/** All rows of events, including placeholders, and the outcomes of the project. */
async function stored() {
  const one = async (query: string) => {
    const result = await clickhouse.query({ query, format: 'JSONEachRow' })
    return (await result.json<{ n: number }>())[0]?.n
  }
  return {
    events: await one('select toInt32(count()) as n from events'),
    accepted: await one(
      `select toInt32(sum(quantity)) as n from outcomes where project_id = ${projectId}`,
    ),
  }
}

describe('A range that is undone', () => {
  const earlier = () => rangeOf(1, 0)
  const range = () => rangeOf(1, 2)

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing was inserted',            async () => {}],
    ['all rows were inserted         ', async ({ events, outcomes }: Range) => {
      await rows.insert(events)
      await rows.insert(outcomes)
    }],
    ['only its events were inserted  ', ({ events }: Range) => rows.insert(events)],
    // The state after ClickHouse crashed between two parts of the table.
    ['events of one week were inserted', ({ events, firstWeek }: Range) => rows.insert({ ...events, rows: firstWeek })],
  ] as const)('restores the former state: %s', async (_name, insert) => {
    const [before, undone] = [earlier(), range()]
    await rows.insert(before.events)
    await rows.insert(before.outcomes)
    await insert(undone)
    await rows.undo(undone)
    expect(await stored()).toEqual({ events: 2, accepted: 2 })
  })

  /** Runs `work` while the table has a constraint that every row violates. */
  async function whileRefusing(check: string, work: () => Promise<void>): Promise<void> {
    const alter = (change: string) =>
      clickhouse.command({ query: `alter table outcomes ${change}` })
    await alter(`add constraint refuses check ${check}`)
    try {
      await work()
    } finally {
      await alter('drop constraint refuses')
    }
  }

  test('has no outcomes to remove when ClickHouse refuses them and accepts others', async () => {
    const undone = range()
    await rows.insert(undone.events)
    await whileRefusing(`project_id != ${projectId}`, async () => {
      await expect(rows.insert(undone.outcomes)).rejects.toThrow(DataRefusedError)
      await rows.undo(undone)
    })
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  test('is not undone while ClickHouse refuses all outcomes, because they may be stored', async () => {
    const undone = range()
    await rows.insert(undone.events)
    await rows.insert(undone.outcomes)
    await whileRefusing(`category = 'none'`, async () => {
      await expect(rows.undo(undone)).rejects.toThrow(DataRefusedError)
    })
    await rows.undo(undone)
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  test('is undone once, even if the undo is repeated', async () => {
    const undone = range()
    await rows.insert(undone.events)
    for (let round = 0; round < 3; round += 1) await rows.undo(undone)
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['inserting', 1], ['inserting', 2], ['inserting', 3], ['deleting', 1], ['deleting', 2],
  ] as const)('is undone after an undo that was interrupted while %s, at call %d', async (what, calls) => {
    const undone = range()
    await rows.insert(undone.events)
    await expect(new ClickHouseRowStore(cutOff(what, calls)).undo(undone)).rejects.toThrow('cut')
    await rows.undo(undone)
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  test.each([
    ['had inserted nothing', async () => {}],
    ['had inserted its events', ({ events }: Range) => rows.insert(events)],
  ] as const)('stays undone when a former owner that %s inserts late', async (_name, insert) => {
    const undone = range()
    await insert(undone)
    await rows.undo(undone)
    await rows.insert(undone.events)
    await rows.insert(undone.outcomes)
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  test('does not affect the next generation, which has the same sequences', async () => {
    const undone = range()
    await rows.insert(undone.events)
    await rows.undo(undone)
    const next = rangeOf(2, 2)
    await rows.insert(next.events)
    await rows.insert(next.outcomes)
    // A late repetition of the undo changes nothing either.
    await rows.undo(undone)
    expect(await stored()).toEqual({ events: 2, accepted: 2 })
  })

  test('leaves no placeholder when it had no events', async () => {
    const { cursor } = range()
    await rows.undo({ cursor, plan: planOf(cursor.plannedSeq) })
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })
})

/**
 * A connection that breaks at the n-th call of its kind: once before ClickHouse executes it, and
 * once after.
 */
function cutOff(what: 'inserting' | 'deleting', calls: number): ClickHouseClient {
  let left = calls
  const cut = <T extends unknown[], R>(call: (...args: T) => Promise<R>) => {
    return async (...args: T): Promise<R> => {
      left -= 1
      if (left === 0 && calls % 2 === 0) throw new Error('the connection was cut')
      const answer = await call(...args)
      if (left === 0) throw new Error('the connection was cut')
      return answer
    }
  }
  const client = Object.create(clickhouse) as ClickHouseClient
  if (what === 'deleting') {
    client.command = cut(clickhouse.command.bind(clickhouse))
    return client
  }
  client.exec = cut(clickhouse.exec.bind(clickhouse)) as ClickHouseClient['exec']
  client.insert = cut(clickhouse.insert.bind(clickhouse)) as ClickHouseClient['insert']
  return client
}

describe('Rows that are checked', () => {
  test('pass like an insert, and none is stored', async () => {
    const { events, outcomes } = rangeOf(1, 0)
    await rows.check(events)
    await rows.check(outcomes)
    expect(await stored()).toEqual({ events: 0, accepted: 0 })
  })

  test('are refused when they do not fit the table', async () => {
    const { outcomes } = rangeOf(1, 0)
    await expect(rows.check({ ...outcomes, rows: outcomes.rows.subarray(1) })).rejects.toThrow()
  })
})
