import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { DigestBench } from '../../test/fixtures/digest-bench.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import type { RangeInput } from '../digest/range.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'

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

describe('A record that ends every thread', () => {
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

  test('becomes a dead letter and is counted, and all others are digested', async () => {
    const run = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('c', 'f')
    })
    await bench.publish(['a', 'b', 'c', 'd'])
    await bench.publish(['e', 'f'])
    await bench.publish(['g'])
    await bench.expectExactly(5)
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

  test('is part of the plan, so that the next owner makes the same decision', async () => {
    const first = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('b')
      run.commitFaults.push(...new Array<Error>(100).fill(fault))
    })
    await bench.publish(['a', 'b', 'c'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    // The threads of the second run never fail.
    const second = await bench.startRun()
    await bench.expectExactly(2)
    expect(second.inserts.slice(0, 2)).toEqual(first.inserts.slice(0, 2))
    expect(await second.count('rangesUndone')).toBe(0)
  })

  test('in a planned and inserted range leads to an undo of the range and does not block the partition', async () => {
    const first = await bench.startRun((run) => {
      run.commitFaults.push(...new Array<Error>(100).fill(fault))
    })
    await bench.publish(['a', 'b', 'c'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    const second = await bench.startRun((run) => {
      run.beforeDigest = survivesAllBut('b')
    })
    await bench.expectExactly(2)
    expect(await second.count('rangesUndone')).toBe(1)
    expect(await outcomes()).toContainEqual({ outcome: 'rejected', reason: 'undigestible', n: 1 })
  })

  test('is not blamed where records fail only together: the range is split', async () => {
    await bench.startRun((run) => {
      run.beforeDigest = async ({ frames, setAside = [] }) => {
        if (frames.length - setAside.length > 2) throw fault
      }
    })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => bench.publish([name])))
    await bench.expectExactly(5)
    expect(await outcomes()).toEqual([{ outcome: 'accepted', reason: '', n: 5 }])
  })
})
