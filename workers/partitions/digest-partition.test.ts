import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { DigestBench, type TestRun } from '../../test/digest-bench.ts'
import type { RangeInput } from '../digest/digest-range.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'
import { hashOf } from '../io/fixtures/range-output.ts'

let bench: DigestBench

beforeAll(async () => {
  bench = await DigestBench.start()
}, 60_000)

afterAll(async () => {
  await bench?.stop()
}, 30_000)

afterEach(async () => {
  await bench.reset()
})

/** So many events, in every book, and not one more. */
async function expectExactly(events: number): Promise<void> {
  await expect.poll(() => bench.issueCount(), { timeout: 10_000 }).toBe(events)
  expect(await bench.stored()).toEqual({ events, accepted: events })
}

const fault = new Error('a fault of this test')

describe('A range', () => {
  test('becomes rows, outcomes and sums, and the cursor stands behind it', async () => {
    const run = await bench.startRun()
    await bench.publish(['a', 'b'])
    const last = await bench.publish(['c'])
    await expectExactly(3)
    expect(await bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
    expect(await run.count('eventsDigested')).toBe(3)
    expect(await run.count('rangesFailed')).toBe(0)
    await run.stop()
    expect(run.end).toBe('stopped')
  })

  test('that ClickHouse refuses is tried again with the same tokens and the same bytes', async () => {
    const run = await bench.startRun((run) => {
      // The events fail, then only the outcomes, then nothing.
      run.insertFaults.push(fault, undefined, fault)
      run.beforeDigest = async () => {
        // Comes while the range is in hand, so it must not become part of it.
        if (run.inserts.length === 0) await bench.publish(['late'])
      }
    })
    await bench.publish(['a', 'b'])
    await expectExactly(3)
    const [events, again, outcomes, third, lastOutcomes] = run.inserts
    expect(events).toMatchObject({ table: 'events' })
    expect(events?.token).toMatch(/^p0:\d+:0-1:events$/)
    expect(again).toEqual(events)
    expect(third).toEqual(events)
    expect(outcomes).toMatchObject({ table: 'outcomes' })
    expect(outcomes?.token).toMatch(/^p0:\d+:0-1:outcomes$/)
    expect(lastOutcomes).toEqual(outcomes)
    expect(run.inserts[5]?.token).toMatch(/^p0:\d+:1-2:events$/)
    expect(await run.count('rangesFailed')).toBe(2)
    expect(await run.count('eventsDigested')).toBe(3)
  })

  test('whose commit fails is tried again, and its rows are there once', async () => {
    const run = await bench.startRun((run) => run.commitFaults.push(fault))
    await bench.publish(['a'])
    await expectExactly(1)
    expect(run.inserts.map(({ table }) => table)).toEqual([
      'events',
      'outcomes',
      'events',
      'outcomes',
    ])
    expect(run.inserts.slice(2)).toEqual(run.inserts.slice(0, 2))
    expect(await run.count('rangesFailed')).toBe(1)
  })

  test('whose digest fails is tried again, and its frames do not count as repeated', async () => {
    let attempts = 0
    const run = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        attempts += 1
        if (attempts === 1) throw fault
      }
    })
    await bench.publish(['a'])
    await expectExactly(1)
    expect(await run.count('framesRepeated')).toBe(0)
  })

  test('that a former owner planned and inserted is finished by the next, and counted once', async () => {
    const first = await bench.startRun((run) => {
      run.commitFaults.push(...new Array<Error>(100).fill(fault))
    })
    const planned = await bench.publish(['a', 'b'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    expect(await bench.cursor()).toMatchObject({ committed_seq: 0, planned_seq: planned })
    expect(await bench.issueCount()).toBe(0)
    await bench.publish(['c'])
    const second = await bench.startRun()
    await expectExactly(3)
    expect(second.inserts.slice(0, 2)).toEqual(first.inserts.slice(0, 2))
  })
})

describe('Another owner', () => {
  test('ends the loop at its next range, of which nothing is counted', async () => {
    const run = await bench.startRun()
    await bench.publish(['a'])
    await expectExactly(1)
    await bench.takeOver()
    await bench.publish(['b'])
    await expect.poll(() => run.end).toBe('fenced')
    expect(await bench.issueCount()).toBe(1)
    expect(run.inserts).toHaveLength(2)
  })

  test('that takes over while a range is in hand leaves it to be counted once', async () => {
    const former = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        await bench.takeOver()
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => former.end).toBe('fenced')
    // Its rows are in ClickHouse, where the next owner's are recognised by their tokens.
    expect(await bench.stored()).toEqual({ events: 1, accepted: 1 })
    expect(await bench.issueCount()).toBe(0)
    await bench.startRun()
    await expectExactly(1)
  })
})

describe('A commit whose answer was lost', () => {
  test('is found to have taken place, and the loop goes on behind it', async () => {
    const run = await bench.startRun((run) => {
      run.answersToLose = 1
    })
    await bench.publish(['a'])
    await expectExactly(1)
    const last = await bench.publish(['b'])
    await expectExactly(2)
    expect(run.end).toBeUndefined()
    await expect.poll(() => bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
  })

  test('leaves the range to whoever took over meanwhile', async () => {
    const run = await bench.startRun((run) => {
      run.answersToLose = 1
      run.afterLostAnswer = async () => {
        await bench.takeOver()
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => run.end, { timeout: 5_000 }).toBe('fenced')
    await expectExactly(1)
  })
})

describe('A repeated frame', () => {
  test('is dropped whole and counted, in the same range and in a later one', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a', 'b'], counter)
    await bench.publish(['a', 'b'], counter)
    const run = await bench.startRun()
    await expectExactly(2)
    await bench.publish(['a', 'b'], counter)
    const last = await bench.publish(['c'])
    await expectExactly(3)
    expect(await run.count('framesRepeated')).toBe(2)
    expect(await bench.cursor()).toMatchObject({ committed_seq: last })
  })

  test('is recognised by the next owner', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const first = await bench.startRun()
    await expectExactly(1)
    await first.stop()
    await bench.publish(['a'], counter)
    await bench.publish(['b'])
    const second = await bench.startRun()
    await expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })

  test('alone moves the cursor and inserts nothing', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const run = await bench.startRun()
    await expectExactly(1)
    const last = await bench.publish(['a'], counter)
    await expect.poll(() => bench.cursor()).toMatchObject({ committed_seq: last })
    expect(run.inserts).toHaveLength(2)
  })

  test('after the stream was made anew is dropped as well', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const first = await bench.startRun()
    await expectExactly(1)
    await first.stop()
    await bench.replaceStream()
    await bench.publish(['a'], counter)
    await bench.publish(['b'])
    const second = await bench.startRun()
    await expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })
})

test('what is no frame is kept as a dead letter and holds up nothing', async () => {
  await bench.publishBytes(Buffer.from('no frame at all'))
  await bench.publish(['a'])
  await bench.startRun()
  await expectExactly(1)
  const { rows } = await bench.pg.query(
    `select stream_seq, record_index, reason, bytes from dead_letters order by id desc limit 1`,
  )
  expect(rows).toEqual([
    {
      stream_seq: 1,
      record_index: -1,
      reason: 'unreadable_frame',
      bytes: Buffer.from('no frame at all'),
    },
  ])
})

describe('Stopping', () => {
  test('lets the range in hand be committed', async () => {
    const gate = openGate()
    let digests = 0
    const run = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        digests += 1
        await gate.opened
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => digests).toBe(1)
    await run.askToStop()
    expect(run.end).toBeUndefined()
    gate.open()
    await run.stop()
    expect(run.end).toBe('stopped')
    await expectExactly(1)
  })

  test('does not wait for another attempt when the range in hand fails', async () => {
    const gate = openGate()
    let digests = 0
    const run = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        digests += 1
        await gate.opened
        throw fault
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => digests).toBe(1)
    await run.askToStop()
    gate.open()
    // A few turns of the event loop, far less than the pause before another attempt.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(run.end).toBe('stopped')
    expect(digests).toBe(1)
  })

  test('ends a pause between two attempts', async () => {
    const run = await bench.startRun((run) => {
      run.insertFaults.push(...new Array<Error>(100).fill(fault))
    })
    await bench.publish(['a'])
    await expect.poll(() => run.count('rangesFailed')).toBeGreaterThanOrEqual(2)
    await run.stop()
    expect(run.end).toBe('stopped')
    expect(await bench.issueCount()).toBe(0)
  })

  test('an idle partition ends at once', async () => {
    const run = await bench.startRun()
    await run.stop()
    expect(run.end).toBe('stopped')
  })
})

describe('A planned range that can no longer be read', () => {
  const forEver = new Array<Error>(100).fill(fault)

  /** Two frames in one range, as an owner leaves it that gets no further. */
  async function planTwoFrames(faults: Partial<TestRun>, publish = publishTwo): Promise<TestRun> {
    const last = await publish()
    const run = await bench.startRun((run) => {
      run.insertFaults.push(...(faults.insertFaults ?? []))
      run.commitFaults.push(...(faults.commitFaults ?? []))
    })
    await expect.poll(() => run.count('rangesFailed')).toBeGreaterThanOrEqual(1)
    await run.stop()
    expect(await bench.cursor()).toEqual({ committed_seq: 0, planned_seq: last })
    return run
  }

  async function publishTwo(): Promise<number> {
    await bench.publish(['a'], 0)
    return bench.publish(['b'], 1)
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing was inserted                ', { insertFaults: forEver }],
    ['its events were inserted            ', { insertFaults: [undefined, ...forEver] }],
    ['all of it was inserted              ', { commitFaults: forEver }],
  ] as const)('is taken back, and its frames count once when they come again: %s', async (_name, faults) => {
    bench.restartCounters()
    await planTwoFrames(faults as unknown as Partial<TestRun>)
    await bench.replaceStream()
    const run = await bench.startRun()
    // Nothing is left of it until ingest has found that its frames are missing.
    expect(await bench.stored()).toEqual({ events: 0, accepted: 0 })
    await bench.publish(['a'], 0)
    await bench.publish(['b'], 1)
    await bench.publish(['c'], 2)
    await expectExactly(3)
    expect(await run.count('framesRepeated')).toBe(0)
  })

  test('because its first frame is gone is taken back, and the rest of it is digested', async () => {
    const former = await planTwoFrames({ commitFaults: [...forEver] })
    expect(former.inserts.length).toBeGreaterThanOrEqual(2)
    await bench.purgeBelow(2)
    await bench.publish(['c'], 2)
    const run = await bench.startRun()
    await expectExactly(2)
    expect(await run.count('rangesUndone')).toBe(1)
    await bench.publish(['a'], 0)
    await expectExactly(3)
  })

  test('holds nothing up when all of its frames are gone', async () => {
    await planTwoFrames({ insertFaults: [...forEver] })
    await bench.purgeBelow(3)
    const last = await bench.publish(['c'], 2)
    await bench.startRun()
    await expectExactly(1)
    await expect.poll(() => bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
  })

  test('is not mistaken for what stands at its sequences now', async () => {
    await planTwoFrames({ commitFaults: [...forEver] })
    const { createdAt } = await bench.readStream()
    await bench.replaceStream()
    await bench.publish(['c', 'd'], 2)
    await bench.publish(['e'], 3)
    // As a stream whose tail was cut and has grown again since: nothing tells it from the former one.
    const run = await bench.startRun((run) => {
      run.createdAt = createdAt
    })
    await expectExactly(3)
    expect(await run.count('rangesUndone')).toBe(1)
    await bench.publish(['a'], 0)
    await bench.publish(['b'], 1)
    await expectExactly(5)
  })
})

describe('A record that no thread survives', () => {
  const survivesAllBut =
    (...deadly: readonly string[]) =>
    async (input: RangeInput) => {
      const ids = new Set(deadly.map(hashOf))
      for (const [frameIndex, { bytes }] of input.frames.entries()) {
        for (const [index, { recordId }] of decodeRecords(decodeFrame(bytes)).entries()) {
          const isSetAside = input.setAside?.includes(recordOrdinal(frameIndex, index))
          if (ids.has(recordId) && !isSetAside) throw fault
        }
      }
    }

  const outcomes = async () => {
    const result = await bench.clickhouse.query({
      query: `select outcome, reason, toUInt32(sum(quantity)) as n from outcomes
              where project_id = ${bench.project} group by all order by outcome`,
      format: 'JSONEachRow',
    })
    return result.json()
  }

  test('is found, kept as a dead letter and counted, and all others are digested', async () => {
    const run = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('c', 'f')
    })
    await bench.publish(['a', 'b', 'c', 'd'])
    await bench.publish(['e', 'f'])
    await bench.publish(['g'])
    await expectExactly(5)
    expect(await outcomes()).toEqual([
      { outcome: 'accepted', reason: '', n: 5 },
      { outcome: 'rejected', reason: 'undigestible', n: 2 },
    ])
    const { rows } = await bench.pg.query(
      'select record_index, reason from dead_letters where project_id = $1 order by id',
      [bench.project],
    )
    expect(rows).toEqual([
      { record_index: 2, reason: 'undigestible' },
      { record_index: 1, reason: 'undigestible' },
    ])
    expect(run.end).toBeUndefined()
  })

  test('is part of the plan, so that the next owner decides alike', async () => {
    const first = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('b')
      run.commitFaults.push(...new Array<Error>(100).fill(fault))
    })
    await bench.publish(['a', 'b', 'c'])
    await expect.poll(() => first.inserts.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
    await first.stop()
    // This one's threads survive everything.
    const second = await bench.startRun()
    await expectExactly(2)
    expect(second.inserts.slice(0, 2)).toEqual(first.inserts.slice(0, 2))
    expect(await second.count('rangesUndone')).toBe(0)
  })

  test('in a range that was planned and inserted costs the range, not the partition', async () => {
    const first = await bench.startRun((run) => {
      run.commitFaults.push(...new Array<Error>(100).fill(fault))
    })
    await bench.publish(['a', 'b', 'c'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    const second = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('b')
    })
    await expectExactly(2)
    expect(await second.count('rangesUndone')).toBe(1)
    expect(await outcomes()).toContainEqual({ outcome: 'rejected', reason: 'undigestible', n: 1 })
  })

  test('is not looked for where records fail only together: the range becomes smaller', async () => {
    await bench.startRun((run) => {
      run.beforeDigest = async ({ frames, setAside = [] }) => {
        if (frames.length - setAside.length > 2) throw fault
      }
    })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => bench.publish([name])))
    await expectExactly(5)
    expect(await outcomes()).toEqual([{ outcome: 'accepted', reason: '', n: 5 }])
  })
})

function openGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
