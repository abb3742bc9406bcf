import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/stores.ts'
import { commitRange } from './commit-store.ts'
import {
  type Cursor,
  FencedError,
  planRange,
  readCommittedSeqs,
  takeOverCursor,
} from './cursor-store.ts'
import { outputOf } from './fixtures/range-output.ts'

const stream = { createdAt: '2026-11-20T12:00:00.123456789Z', lastSeq: 100 }
const otherStream = { createdAt: '2026-11-21T08:00:00Z', lastSeq: 3 }
let stores: TestStores
let pg: Pool
let partition = 0

beforeAll(async () => {
  stores = await startStores()
  const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }
  pg = createPool(options, createLogger('test', 'silent'))
}, 60_000)

afterAll(async () => {
  await pg?.end()
  await stores?.stop()
}, 30_000)

beforeEach(() => {
  partition += 1
})

async function commit(cursor: Cursor): Promise<Cursor> {
  await commitRange(pg, { cursor, output: outputOf({}), frames: [] })
  return { ...cursor, committedSeq: cursor.plannedSeq }
}

test('a partition that nobody owned before begins at the start of the stream', async () => {
  expect(await takeOverCursor(pg, partition, stream)).toEqual({
    cursor: { partition, epoch: 1, generation: 1, committedSeq: 0, plannedSeq: 0 },
    reset: 'none',
  })
})

test('taking over raises the epoch and keeps the place', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await commit(await planRange(pg, cursor, 40))
  expect(await takeOverCursor(pg, partition, stream)).toEqual({
    cursor: { partition, epoch: 2, generation: 1, committedSeq: 40, plannedSeq: 40 },
    reset: 'none',
  })
})

test('the former owner can neither plan nor commit', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const planned = await planRange(pg, cursor, 40)
  const next = await takeOverCursor(pg, partition, stream)
  await expect(planRange(pg, cursor, 50)).rejects.toBeInstanceOf(FencedError)
  await expect(commit(planned)).rejects.toBeInstanceOf(FencedError)
  // The new owner is not disturbed by the attempts.
  expect((await commit(next.cursor)).committedSeq).toBe(40)
})

test('many that take over at once get epochs of their own, and the last one is the owner', async () => {
  const takers = await Promise.all([1, 2, 3, 4].map(() => takeOverCursor(pg, partition, stream)))
  const inOrder = takers.map(({ cursor }) => cursor).sort((a, b) => a.epoch - b.epoch)
  expect(inOrder.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4])
  for (const former of inOrder.slice(0, 3)) {
    await expect(planRange(pg, former, 10)).rejects.toBeInstanceOf(FencedError)
  }
  await planRange(pg, inOrder[3]!, 10)
})

test('a range that was planned survives the take-over, and must be committed before the next', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, cursor, 40)
  const next = (await takeOverCursor(pg, partition, stream)).cursor
  expect(next).toMatchObject({ committedSeq: 0, plannedSeq: 40 })
  await expect(planRange(pg, next, 60)).rejects.toBeInstanceOf(FencedError)
  const committed = await commit(next)
  expect(await planRange(pg, committed, 60)).toMatchObject({ committedSeq: 40, plannedSeq: 60 })
})

test('a stream made anew is a new generation that is read from its start', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await commit(await planRange(pg, cursor, 40))
  expect(await takeOverCursor(pg, partition, otherStream)).toEqual({
    cursor: { partition, epoch: 2, generation: 2, committedSeq: 0, plannedSeq: 0 },
    reset: 'new_stream',
  })
  // Known from now on: the next owner goes on in it.
  expect(await takeOverCursor(pg, partition, otherStream)).toMatchObject({
    cursor: { epoch: 3, generation: 2 },
    reset: 'none',
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['ends where the committed range ends', 40, 'none'],
  ['was cut below it                   ', 39, 'tail_cut'],
  ['is empty again                     ', 0, 'tail_cut'],
] as const)('a stream that %s: last sequence %d is %s', async (_name, lastSeq, reset) => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await commit(await planRange(pg, cursor, 40))
  const next = await takeOverCursor(pg, partition, { ...stream, lastSeq })
  expect(next.reset).toBe(reset)
  expect(next.cursor).toMatchObject(
    reset === 'none' ? { generation: 1, committedSeq: 40 } : { generation: 2, committedSeq: 0 },
  )
})

test('a stream that was cut below what is only planned counts as cut', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, cursor, 40)
  expect(await takeOverCursor(pg, partition, { ...stream, lastSeq: 39 })).toMatchObject({
    cursor: { generation: 2, committedSeq: 0, plannedSeq: 0 },
    reset: 'tail_cut',
  })
})

test('committed places are told for the stream that was asked for, and for no other', async () => {
  const incarnation = `stream of partition ${partition}`
  const { cursor } = await takeOverCursor(pg, partition, { createdAt: incarnation, lastSeq: 100 })
  await commit(await planRange(pg, cursor, 40))
  expect(await readCommittedSeqs(pg, incarnation)).toEqual(new Map([[partition, 40]]))
  expect(await readCommittedSeqs(pg, 'another')).toEqual(new Map())
})
