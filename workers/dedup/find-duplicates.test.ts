import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { frameHeaderBytes } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { eventFrame, type TestEvent } from '../../test/fixtures/workers/event-frame.ts'
import { digestRange } from '../digest/digest-range.ts'
import { withFrame } from '../partitions/range-frames.ts'
import { enterAccepted, findDuplicates } from './find-duplicates.ts'
import { IdWindow } from './id-window.ts'
import type { LateId } from './known-ids.ts'

const projectId = 1 as ProjectId
const nowMs = Date.UTC(2026, 10, 20, 12, 0, 0, 500)
const instanceId = 'a'.repeat(32)

let counter = 0
function frameOf(...events: readonly (Omit<TestEvent, 'projectId'> & Partial<TestEvent>)[]) {
  counter += 1
  const number = { instanceId, partition: 0, counter }
  const full = events.map((event) => ({ projectId, receivedAtMs: nowMs, ...event }))
  return { streamSeq: counter, bytes: eventFrame(number, full) }
}

/** A partition that digests one range after another, like its owner. */
class Partition {
  readonly window = new IdWindow()
  readonly asked: LateId[] = []
  known: (id: LateId) => boolean = () => false

  async digest(...frames: readonly ReturnType<typeof frameOf>[]) {
    const found = await findDuplicates(frames.map(withFrame), this.window, async (ids) => {
      this.asked.push(...ids)
      return ids.map((id) => this.known(id))
    })
    const { duplicates, repeated } = found
    const settings = { partition: 0, generation: 1, retentionDays: 90 }
    const output = digestRange({ ...settings, frames, duplicates, repeated })
    return { output, commit: () => enterAccepted(this.window, found, output.acceptedRecords) }
  }

  async settle(...frames: readonly ReturnType<typeof frameOf>[]) {
    const { output, commit } = await this.digest(...frames)
    commit()
    return { events: output.eventCount, duplicates: output.duplicateCount }
  }
}

describe('A copy', () => {
  test('of a digested record is a duplicate after the commit', async () => {
    const partition = new Partition()
    await partition.digest(frameOf({ name: 'a' }))
    expect(await partition.settle(frameOf({ name: 'a' }))).toEqual({ events: 1, duplicates: 0 })
    expect(await partition.settle(frameOf({ name: 'a' }, { name: 'b' }))).toEqual({
      events: 1,
      duplicates: 1,
    })
  })

  test('within a frame or a range is a duplicate of the first', async () => {
    const partition = new Partition()
    const frames = [
      frameOf({ name: 'c' }, { name: 'a' }, { name: 'a' }),
      frameOf({ name: 'b' }, { name: 'a' }),
    ]
    const { output } = await partition.digest(...frames)
    expect(output.duplicateCount).toBe(2)
    expect([...output.acceptedRecords]).toEqual([0, 1, 512])
  })

  test('in another project is no duplicate', async () => {
    const partition = new Partition()
    const other = { name: 'a', projectId: 2 as ProjectId }
    expect(await partition.settle(frameOf({ name: 'a' }, other))).toMatchObject({ duplicates: 0 })
    expect(await partition.settle(frameOf(other))).toMatchObject({ duplicates: 1 })
  })

  test('of a rejected record is accepted, in the same range and in a later one', async () => {
    const partition = new Partition()
    const refused = { name: 'a', payload: '{"message":' }
    expect(await partition.settle(frameOf(refused))).toEqual({ events: 0, duplicates: 0 })
    const frames = [frameOf(refused, { name: 'a' }), frameOf({ name: 'a' })]
    expect(await partition.settle(...frames)).toEqual({ events: 1, duplicates: 1 })
  })

  test('that is received a day later is an event again, in one range or two', async () => {
    const later = { name: 'a', receivedAtMs: nowMs + dedupWindowMs }
    const almost = { name: 'a', receivedAtMs: nowMs + dedupWindowMs - 1000 }
    const inOne = new Partition()
    expect(await inOne.settle(frameOf({ name: 'a' }, almost, later))).toEqual({
      events: 2,
      duplicates: 1,
    })
    const inThree = new Partition()
    await inThree.settle(frameOf({ name: 'a' }))
    expect(await inThree.settle(frameOf(almost))).toMatchObject({ duplicates: 1 })
    expect(await inThree.settle(frameOf(later))).toMatchObject({ duplicates: 0 })
  })

  test('that was received before the copy that arrived first is also a duplicate', async () => {
    const partition = new Partition()
    await partition.settle(frameOf({ name: 'a' }))
    const earlier = { name: 'a', receivedAtMs: nowMs - dedupWindowMs + 1000 }
    expect(await partition.settle(frameOf(earlier))).toMatchObject({ duplicates: 1 })
  })
})

describe('A late record', () => {
  const late = { name: 'late', receivedAtMs: nowMs - 2 * 3_600_000 }

  test('is looked up in the rows', async () => {
    const partition = new Partition()
    partition.known = () => true
    await partition.settle(frameOf({ name: 'now' }))
    expect(partition.asked).toEqual([])
    expect(await partition.settle(frameOf({ name: 'b' }, late))).toEqual({
      events: 1,
      duplicates: 1,
    })
    expect(partition.asked).toMatchObject([{ projectId, receivedAtMs: late.receivedAtMs }])
  })

  test('is an event if the rows do not contain it', async () => {
    const partition = new Partition()
    await partition.settle(frameOf({ name: 'now' }))
    expect(await partition.settle(frameOf(late))).toEqual({ events: 1, duplicates: 0 })
    expect(await partition.settle(frameOf(late))).toEqual({ events: 0, duplicates: 1 })
  })
})

test('a frame that cannot be read has no ids', async () => {
  const partition = new Partition()
  const damaged = frameOf({ name: 'a' })
  damaged.bytes[60]! ^= 1
  const after = frameOf({ name: 'a' })
  expect(await partition.settle(damaged, after)).toEqual({ events: 1, duplicates: 0 })
  expect(await partition.settle(frameOf({ name: 'a' }))).toEqual({ events: 0, duplicates: 1 })
})

test('a frame whose second record has an unknown kind has no ids', async () => {
  const partition = new Partition()
  const { bytes, streamSeq } = frameOf({ name: 'a' }, { name: 'b' })
  const secondRecord = frameHeaderBytes + bytes.readUInt32LE(frameHeaderBytes)
  bytes[secondRecord + 4] = 99
  bytes.writeUInt32LE(crc32(bytes.subarray(frameHeaderBytes), crc32(bytes.subarray(0, 40))), 40)
  const frames = [{ bytes, streamSeq }, frameOf({ name: 'b' }), frameOf({ name: 'a' })]
  const { output } = await partition.digest(...frames)
  expect(output).toMatchObject({ eventCount: 2, duplicateCount: 0, deadLetters: [{ streamSeq }] })
  expect(await partition.settle(...frames)).toEqual({ events: 2, duplicates: 0 })
})

test('thousands of records are distinguished', async () => {
  const partition = new Partition()
  const frames = (from: number) =>
    Array.from({ length: 8 }, (_, frame) =>
      frameOf(...Array.from({ length: 400 }, (_, at) => ({ name: `${from + frame * 400 + at}` }))),
    )
  expect(await partition.settle(...frames(0))).toEqual({ events: 3_200, duplicates: 0 })
  expect(await partition.settle(...frames(1_000))).toEqual({ events: 1_000, duplicates: 2_200 })
})
