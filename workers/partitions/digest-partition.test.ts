import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DigestBench } from '../../test/fixtures/digest-bench.ts'

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

const fault = new Error('a fault of this test')

describe('A range', () => {
  test('becomes rows, outcomes and sums, and moves the cursor', async () => {
    const run = await bench.startRun()
    await bench.publish(['a', 'b'])
    const last = await bench.publish(['c'])
    await bench.expectExactly(3)
    expect(await bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
    expect(await run.count('eventsDigested')).toBe(3)
    expect(await run.count('rangesFailed')).toBe(0)
    await run.stop()
    expect(run.end).toBe('stopped')
  })

  test('that ClickHouse refuses is retried with the same tokens and the same bytes', async () => {
    const run = await bench.startRun((run) => {
      // The events fail, then only the outcomes, then no insert.
      run.insertFaults.push(fault, undefined, fault)
      run.beforeDigest = async () => {
        // Published while the range is processed, so it must not become part of it.
        if (run.inserts.length === 0) await bench.publish(['late'])
      }
    })
    await bench.publish(['a', 'b'])
    await bench.expectExactly(3)
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

  test('whose commit fails is retried, and its rows are stored once', async () => {
    const run = await bench.startRun((run) => run.commitFaults.push(fault))
    await bench.publish(['a'])
    await bench.expectExactly(1)
    expect(run.inserts.map(({ table }) => table)).toEqual([
      'events',
      'outcomes',
      'events',
      'outcomes',
    ])
    expect(run.inserts.slice(2)).toEqual(run.inserts.slice(0, 2))
    expect(await run.count('rangesFailed')).toBe(1)
  })

  test('whose digest fails is retried, and its frames do not count as repeated', async () => {
    let attempts = 0
    const run = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        attempts += 1
        if (attempts === 1) throw fault
      }
    })
    await bench.publish(['a'])
    await bench.expectExactly(1)
    expect(await run.count('framesRepeated')).toBe(0)
  })

  test('that a former owner planned and inserted is committed by the next, and counted once', async () => {
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
    await bench.expectExactly(3)
    expect(second.inserts.slice(0, 2)).toEqual(first.inserts.slice(0, 2))
  })
})

describe('Another owner', () => {
  test('ends the loop at its next range, which counts nothing', async () => {
    const run = await bench.startRun()
    await bench.publish(['a'])
    await bench.expectExactly(1)
    await bench.takeOver()
    await bench.publish(['b'])
    await expect.poll(() => run.end).toBe('fenced')
    expect(await bench.issueCount()).toBe(1)
    expect(run.inserts).toHaveLength(2)
  })

  test('is noticed by an idle owner', async () => {
    const run = await bench.startRun()
    await bench.takeOver()
    await expect.poll(() => run.end).toBe('fenced')
  })

  test('that takes over before the plan discards the current range', async () => {
    const former = await bench.startRun((run) => {
      run.beforeDigest = async () => {
        await bench.takeOver()
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => former.end).toBe('fenced')
    expect(await bench.stored()).toEqual({ events: 0, accepted: 0 })
    await bench.startRun()
    await bench.expectExactly(1)
  })

  test('keeps an owner that paused after its plan from inserting', async () => {
    const former = await bench.startRun((run) => {
      run.afterPlan = async () => {
        await bench.takeOver()
        run.clockAheadMs = 60_000
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => former.end).toBe('fenced')
    expect(former.inserts).toEqual([])
    await bench.startRun()
    await bench.expectExactly(1)
  })

  test('that takes over after the plan counts the range once', async () => {
    const former = await bench.startRun((run) => {
      run.afterPlan = async () => {
        await bench.takeOver()
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => former.end).toBe('fenced')
    // Its rows are in ClickHouse, which recognises the next owner's rows by their tokens.
    expect(await bench.stored()).toEqual({ events: 1, accepted: 1 })
    expect(await bench.issueCount()).toBe(0)
    await bench.startRun()
    await bench.expectExactly(1)
  })
})

describe('A commit whose answer was lost', () => {
  test('is found to have succeeded, and the loop continues after it', async () => {
    const run = await bench.startRun((run) => {
      run.answersToLose = 1
    })
    await bench.publish(['a'])
    await bench.expectExactly(1)
    const last = await bench.publish(['b'])
    await bench.expectExactly(2)
    expect(run.end).toBeUndefined()
    await expect.poll(() => bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
  })

  test('leaves the range to an owner that took over meanwhile', async () => {
    const run = await bench.startRun((run) => {
      run.answersToLose = 1
      run.afterLostAnswer = async () => {
        await bench.takeOver()
      }
    })
    await bench.publish(['a'])
    await expect.poll(() => run.end).toBe('fenced')
    await bench.expectExactly(1)
  })
})

describe('A repeated frame', () => {
  test('is dropped whole and counted, in the same range and in a later one', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a', 'b'], counter)
    await bench.publish(['a', 'b'], counter)
    const run = await bench.startRun()
    await bench.expectExactly(2)
    await bench.publish(['a', 'b'], counter)
    const last = await bench.publish(['c'])
    await bench.expectExactly(3)
    expect(await run.count('framesRepeated')).toBe(2)
    expect(await bench.cursor()).toMatchObject({ committed_seq: last })
  })

  test('is recognised by the next owner', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const first = await bench.startRun()
    await bench.expectExactly(1)
    await first.stop()
    await bench.publish(['a'], counter)
    await bench.publish(['b'])
    const second = await bench.startRun()
    await bench.expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })

  test('moves the cursor and inserts nothing when the range has no other frame', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const run = await bench.startRun()
    await bench.expectExactly(1)
    const last = await bench.publish(['a'], counter)
    await expect.poll(() => bench.cursor()).toMatchObject({ committed_seq: last })
    expect(run.inserts).toHaveLength(2)
  })

  test('is also dropped after the stream was recreated', async () => {
    const counter = bench.nextCounter()
    await bench.publish(['a'], counter)
    const first = await bench.startRun()
    await bench.expectExactly(1)
    await first.stop()
    await bench.replaceStream()
    await bench.publish(['a'], counter)
    await bench.publish(['b'])
    const second = await bench.startRun()
    await bench.expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })
})

test('a message that is no frame becomes a dead letter and blocks nothing', async () => {
  await bench.publishBytes(Buffer.from('no frame at all'))
  await bench.publish(['a'])
  await bench.startRun()
  await bench.expectExactly(1)
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
  test('waits for the commit of the current range', async () => {
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
    await bench.expectExactly(1)
  })

  test('does not wait for another attempt when the current range fails', async () => {
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
    // A few turns of the event loop take far less time than the pause before another attempt.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(run.end).toBe('stopped')
    expect(digests).toBe(1)
  })

  test('aborts a pause between two attempts', async () => {
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

function openGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
