import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DigestBench, type TestRun } from '../../test/fixtures/digest-bench.ts'

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

describe('A planned range whose frames are missing', () => {
  const forEver = new Array<Error>(100).fill(fault)

  /** Plans two frames in one range, like an owner that crashed after the plan. */
  async function planTwoFrames(faults: Partial<TestRun>, publish = publishTwo): Promise<TestRun> {
    const last = await publish()
    const run = await bench.startRun((run) => {
      run.takeFromSeq = last
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
  ] as const)('is undone, and its frames count once when they are resent: %s', async (_name, faults) => {
    bench.restartCounters()
    await planTwoFrames(faults as unknown as Partial<TestRun>)
    await bench.replaceStream()
    const run = await bench.startRun()
    // Nothing of the range is stored until ingest has found that its frames are missing.
    expect(await bench.stored()).toEqual({ events: 0, accepted: 0 })
    await bench.publish(['a'], 0)
    await bench.publish(['b'], 1)
    await bench.publish(['c'], 2)
    await bench.expectExactly(3)
    expect(await run.count('framesRepeated')).toBe(0)
  })

  test('is undone when its first frame is missing, and its other frames are digested', async () => {
    const former = await planTwoFrames({ commitFaults: [...forEver] })
    expect(former.inserts.length).toBeGreaterThanOrEqual(2)
    await bench.purgeBelow(2)
    await bench.publish(['c'], 2)
    const run = await bench.startRun()
    await bench.expectExactly(2)
    expect(await run.count('rangesUndone')).toBe(1)
    await bench.publish(['a'], 0)
    await bench.expectExactly(3)
  })

  test('does not block the partition when all of its frames are missing', async () => {
    await planTwoFrames({ insertFaults: [...forEver] })
    await bench.purgeBelow(3)
    const last = await bench.publish(['c'], 2)
    await bench.startRun()
    await bench.expectExactly(1)
    await expect.poll(() => bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
  })

  test('is not confused with the frames that have its sequences now', async () => {
    await planTwoFrames({ commitFaults: [...forEver] })
    const { createdAt } = await bench.readStream()
    await bench.replaceStream()
    await bench.publish(['c', 'd'], 2)
    await bench.publish(['e'], 3)
    // Like a stream whose tail was cut and that has grown again since: it looks like the former
    // one.
    const run = await bench.startRun((run) => {
      run.createdAt = createdAt
    })
    await bench.expectExactly(3)
    expect(await run.count('rangesUndone')).toBe(1)
    await bench.publish(['a'], 0)
    await bench.publish(['b'], 1)
    await bench.expectExactly(5)
  })
})
