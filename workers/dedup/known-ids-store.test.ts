/** Compares a window that was never rebuilt with one that is rebuilt from the rows. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { eventFrame, type TestEvent } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { digestRange } from '../digest/digest-range.ts'
import { withFrame } from '../partitions/range-frames.ts'
import { insertRows } from '../rows/row-store.ts'
import { enterAccepted, findDuplicates } from './find-duplicates.ts'
import { IdWindow, latenessSeconds, secondOf } from './id-window.ts'
import type { DigestedScope, LateId } from './known-ids.ts'
import { ClickHouseKnownIds } from './known-ids-store.ts'

let stores: TestStores
let clickhouse: ClickHouseClient

beforeAll(async () => {
  stores = await startStores()
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
})

afterAll(async () => {
  await clickhouse?.close()
  await stores?.stop()
})

beforeEach(async () => {
  await clickhouse.command({ query: 'truncate table events' })
})

const nowMs = Date.UTC(2026, 10, 20, 12, 30)
const hourMs = 3_600_000
const projects = [1, 2 ** 48 - 1] as ProjectId[]
const retentionDays = 60_000

/** An owner of a partition, reduced to its ids: ranges of one frame, one after the other. */
class Partition {
  readonly partition: number
  readonly window: IdWindow
  generation = 1
  committedSeq = 0

  constructor(partition: number, options: { readonly idsMax?: number } = {}) {
    this.partition = partition
    this.window = new IdWindow(options)
  }

  get scope(): DigestedScope {
    const { partition, generation, committedSeq } = this
    return { partition, generation, committedSeq }
  }

  async insert(events: readonly TestEvent[]) {
    const { partition, generation, committedSeq } = this
    const streamSeq = committedSeq + 1
    const number = { instanceId: hashOf('boot'), partition, counter: committedSeq }
    const frames = [{ streamSeq, bytes: eventFrame(number, events) }]
    const found = await findDuplicates(frames.map(withFrame), this.window, (ids) =>
      new ClickHouseKnownIds(clickhouse).among(this.scope, ids),
    )
    const { duplicates, repeated } = found
    const input = { partition, generation, retentionDays, frames, duplicates, repeated }
    const output = digestRange({ ...input, issueEventsPerMinute: [[1 as ProjectId, 60]] })
    const token = `p${partition}:${generation}:${committedSeq}`
    const insert = async () => {
      if (output.eventCount === 0) return
      await insertRows(clickhouse, { table: 'events', rows: output.eventRows, token })
    }
    await insert()
    return { found, output, insert }
  }

  async settle(events: readonly TestEvent[]) {
    const { found, output } = await this.insert(events)
    this.committedSeq += 1
    enterAccepted(this.window, found, output.acceptedRecords)
    return output
  }

  async rebuild(options: { readonly idsMax?: number } = {}): Promise<IdWindow> {
    const window = new IdWindow(options)
    await new ClickHouseKnownIds(clickhouse).read(this.scope, window)
    return window
  }
}

function eventsOf(names: readonly string[], receivedAtMs: (index: number) => number): TestEvent[] {
  return names.map((name, index) => {
    const projectId = projects[index % 2]!
    return { name, projectId, type: `Type${index % 3}`, receivedAtMs: receivedAtMs(index) }
  })
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix} ${index}`)
}

function holds(window: IdWindow, name: string, projectId: ProjectId, atMs: number): boolean {
  const { fingerprinter } = window
  fingerprinter.ofBytes(projectId, Buffer.from(hashOf(name), 'hex'), 0)
  return window.has(fingerprinter.a, fingerprinter.b, fingerprinter.c, secondOf(atMs))
}

function expectAlike(rebuilt: IdWindow, live: IdWindow, events: readonly TestEvent[]): void {
  expect([rebuilt.size, rebuilt.floorSecond]).toEqual([live.size, live.floorSecond])
  for (const { name, projectId, receivedAtMs = 0 } of events) {
    for (const shiftMs of [0, dedupWindowMs - 1000, dedupWindowMs, -dedupWindowMs]) {
      const atMs = receivedAtMs + shiftMs
      expect(holds(rebuilt, name, projectId, atMs)).toBe(holds(live, name, projectId, atMs))
    }
  }
}

describe('A window rebuilt from rows', () => {
  test('is empty for a partition without rows', async () => {
    expect((await new Partition(0).rebuild()).size).toBe(0)
    await new Partition(1).settle(eventsOf(['a'], () => nowMs))
    expect((await new Partition(0).rebuild()).size).toBe(0)
  })

  test('gives the same answers as the original, including sampled and late events', async () => {
    const partition = new Partition(3)
    const all: TestEvent[] = []
    const settle = async (events: TestEvent[]) => {
      all.push(...events)
      return partition.settle(events)
    }
    const burst = await settle(eventsOf(names('burst', 300), (index) => nowMs - 500 + index))
    expect(burst.issues.reduce((sum, { sampledCount }) => sum + sampledCount, 0)).toBeGreaterThan(
      99,
    )
    await settle(eventsOf(names('old', 100), (index) => nowMs - index * hourMs))
    await settle(eventsOf(names('older', 50), (index) => nowMs - 20 * hourMs - index * hourMs))
    await settle(eventsOf(names('burst', 400), (index) => nowMs + index))
    await new Partition(4).settle(eventsOf(names('other', 50), () => nowMs))
    expect(partition.window.size).toBeGreaterThan(400)
    expectAlike(await partition.rebuild(), partition.window, all)
  })

  test('gives the same answers after its bound is reached', async () => {
    const bound = { idsMax: 120 }
    const partition = new Partition(3, bound)
    const events = eventsOf(names('a', 400), (index) => nowMs - index * 60_000)
    await partition.settle(events.slice(200))
    await partition.settle(events.slice(0, 200))
    expect(partition.window.lengthSeconds).toBeLessThan(3 * 3_600)
    expectAlike(await partition.rebuild(bound), partition.window, events)
  })

  test('finds the newest row of a partition that has been quiet for weeks', async () => {
    const partition = new Partition(3)
    const thenMs = nowMs - 40 * 24 * hourMs
    await partition.settle(eventsOf(names('then', 20), (index) => thenMs - index * hourMs))
    await new Partition(4).settle(eventsOf(['now'], () => nowMs))
    const rebuilt = await partition.rebuild()
    expect(rebuilt.size).toBe(20)
    expect(holds(rebuilt, 'then 0', projects[0]!, thenMs)).toBe(true)
  })

  test('gives the same answers after a record with a wrong clock', async () => {
    const partition = new Partition(3)
    const timesMs = [nowMs, Date.UTC(2299, 0), nowMs + dedupWindowMs]
    const events = eventsOf(names('mad', 50), (index) => timesMs[index % timesMs.length]!)
    await partition.settle(events)
    await partition.settle(eventsOf(names('sane', 5), () => nowMs))
    expectAlike(await partition.rebuild(), partition.window, events)
    expect((await partition.settle(events)).duplicateCount).toBe(50)
  })

  test('contains all ids of earlier generations and the committed ones of the current generation', async () => {
    const partition = new Partition(3)
    for (const name of ['a', 'b', 'c']) await partition.settle(eventsOf([name], () => nowMs))
    partition.generation = 2
    partition.committedSeq = 0
    await partition.settle(eventsOf(['d'], () => nowMs))
    await partition.insert(eventsOf(['planned'], () => nowMs))
    const rebuilt = await partition.rebuild()
    const known = ['a', 'b', 'c', 'd', 'planned'].filter((name) =>
      holds(rebuilt, name, projects[0]!, nowMs),
    )
    expect(known).toEqual(['a', 'b', 'c', 'd'])
  })

  test('is the same after an insert was repeated and after one was undone', async () => {
    const partition = new Partition(3)
    await partition.settle(eventsOf(names('kept', 30), () => nowMs))
    const { insert } = await partition.insert(eventsOf(names('undone', 30), () => nowMs))
    await insert()
    await clickhouse.command({
      query: `alter table events delete where partition = 3 and stream_generation = 1 and stream_seq > 1`,
      clickhouse_settings: { mutations_sync: '2' },
    })
    await insert()
    partition.committedSeq = 2
    const rebuilt = await partition.rebuild()
    expectAlike(rebuilt, partition.window, [])
    expect(rebuilt.size).toBe(30)
  })
})

describe('Late ids', () => {
  test('are found by project, id and time among the committed rows', async () => {
    const partition = new Partition(3)
    const thenMs = nowMs - 3 * 24 * hourMs
    await partition.settle(eventsOf(names('burst', 300), () => thenMs))
    await partition.settle(eventsOf(['now'], () => nowMs))
    await partition.insert(eventsOf(['planned'], () => thenMs))
    const late = (name: string, receivedAtMs: number, projectId = projects[0]!): LateId => {
      return { projectId, recordId: hashOf(name), receivedAtMs }
    }
    // biome-ignore format: the columns are the point
    const cases: readonly (readonly [LateId, boolean])[] = [
      [late('burst 0', thenMs),                          true],
      [late('burst 298', thenMs + 1),                    true],
      [late('burst 0', thenMs + dedupWindowMs - 1000),   true],
      [late('burst 0', thenMs + dedupWindowMs),          false],
      [late('burst 0', thenMs - dedupWindowMs),          false],
      [late('burst 0', thenMs, projects[1]),             false],
      [late('burst 1', thenMs, projects[1]),             true],
      [late('planned', thenMs),                          false],
      [late('unknown', thenMs),                          false],
    ]
    const found = await new ClickHouseKnownIds(clickhouse).among(
      partition.scope,
      cases.map(([id]) => id),
    )
    expect(found).toEqual(cases.map(([, known]) => known))
  })

  test('of one range are looked up together, thousands at once', async () => {
    const partition = new Partition(3)
    const thenMs = nowMs - (latenessSeconds + 60) * 1000
    const late = eventsOf(names('late', 400), () => thenMs)
    await partition.settle(late)
    await partition.settle(eventsOf(['now'], () => nowMs))
    // The look-up does not use the window: the rows must suffice.
    const asked = Array.from({ length: 5_000 }, (_, index): LateId => {
      const { projectId } = late[index % 2]!
      return { projectId, recordId: hashOf(`late ${index}`), receivedAtMs: thenMs }
    })
    const found = await new ClickHouseKnownIds(clickhouse).among(partition.scope, asked)
    expect(found.filter((known) => known)).toHaveLength(400)
    expect((await partition.settle(late)).duplicateCount).toBe(400)
  })
})

test.each([
  ['partition = 3', 'stream_seq <= 9'],
  // With former partitions, as after a change of their number.
  [
    '(partition = 3 or partition < 2)',
    '(partition < 2 or stream_generation = 1 and stream_seq <= 9)',
  ],
])(
  'the projection has the columns that are read, in the order of receipt, where %s',
  async (partitions, isDigested) => {
    await new Partition(3).settle(eventsOf(names('a', 10), () => nowMs))
    const result = await clickhouse.query({
      query: `explain indexes = 1, projections = 1 select project_id, event_id, sampled_ids, sampled_received_at
            from events where ${partitions} and received_at >= '2026-11-20 12:00:00' and ${isDigested}`,
      format: 'TabSeparated',
      clickhouse_settings: { force_optimize_projection: 1 },
    })
    expect(await result.text()).toContain('known_ids')
  },
)
