import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { takeOutSdks } from '#schemas/outcome-rows.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { outputOf } from '../../test/fixtures/workers/range-output.ts'
import { planOf } from '../../test/fixtures/workers/test-partition.ts'
import { commitRange } from '../commit/commit-store.ts'
import { OutcomeTally } from '../digest/outcome-tally.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'
import {
  beginGeneration,
  planRange,
  planRangeUnlessHeld,
  readCommittedSeqs,
  readCursor,
  takeOverCursor,
} from './cursor-store.ts'
import { type Cursor, FencedError, PlanHeldError } from './ports.ts'

const stream = { createdAt: '2026-11-20T12:00:00.123456789Z', lastSeq: 100 }
const otherStream = { createdAt: '2026-11-21T08:00:00Z', lastSeq: 3 }
let pg: Pool
let partition = 0

usePostgres((fixture) => {
  pg = fixture.pg
  partition += 1
})

async function commit(cursor: Cursor): Promise<Cursor> {
  await commitRange(pg, { cursor, output: outputOf({}), frames: [] })
  return { ...cursor, committedSeq: cursor.plannedSeq }
}

test('a partition without a cursor begins at the start of the stream', async () => {
  expect(await takeOverCursor(pg, partition, stream)).toEqual({
    cursor: { partition, epoch: 1, generation: 1, committedSeq: 0, plannedSeq: 0 },
    isNoted: false,
    plan: undefined,
    frames: [],
    reset: 'none',
  })
})

test('a take-over increments the epoch and keeps the cursor', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await commit(await planRange(pg, cursor, planOf(40)))
  expect(await takeOverCursor(pg, partition, stream)).toEqual({
    cursor: { partition, epoch: 2, generation: 1, committedSeq: 40, plannedSeq: 40 },
    isNoted: true,
    plan: undefined,
    frames: [],
    reset: 'none',
  })
})

test('a partition of a former layout is not taken over', async () => {
  await takeOverCursor(pg, partition, stream)
  await pg.query('update installation set first_partition = $1', [partition + 1])
  try {
    await expect(takeOverCursor(pg, partition, stream)).rejects.toBeInstanceOf(FencedError)
    expect((await readCursor(pg, partition)).epoch).toBe(1)
  } finally {
    await pg.query('update installation set first_partition = 0')
  }
})

test('the former owner can neither plan nor commit', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const planned = await planRange(pg, cursor, planOf(40))
  const next = await takeOverCursor(pg, partition, stream)
  await expect(planRange(pg, cursor, planOf(50))).rejects.toBeInstanceOf(FencedError)
  await expect(commit(planned)).rejects.toBeInstanceOf(FencedError)
  // These attempts do not affect the new owner.
  expect((await commit(next.cursor)).committedSeq).toBe(40)
})

test('concurrent take-overs get different epochs, and the last one is the owner', async () => {
  const takers = await Promise.all([1, 2, 3, 4].map(() => takeOverCursor(pg, partition, stream)))
  const inOrder = takers.map(({ cursor }) => cursor).sort((a, b) => a.epoch - b.epoch)
  expect(inOrder.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4])
  for (const former of inOrder.slice(0, 3)) {
    await expect(planRange(pg, former, planOf(10))).rejects.toBeInstanceOf(FencedError)
  }
  await planRange(pg, inOrder[3]!, planOf(10))
})

test('a range that was planned survives the take-over, and must be committed before the next', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, cursor, planOf(40))
  const next = (await takeOverCursor(pg, partition, stream)).cursor
  expect(next).toMatchObject({ committedSeq: 0, plannedSeq: 40 })
  await expect(planRange(pg, next, planOf(60))).rejects.toBeInstanceOf(FencedError)
  const committed = await commit(next)
  expect(await planRange(pg, committed, planOf(60))).toMatchObject({
    committedSeq: 40,
    plannedSeq: 60,
  })
})

test('a plan is read back as it was written', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const plan = planOf(40, {
    settings: {
      retentionDays: 30,
      partitionCount: 4,
      issueEventsPerMinute: [[7 as ProjectId, 60]],
      setAside: [1, 513],
      rowsHash: '123:abc',
      weeks: [1_763_337_600, 1_763_942_400],
    },
    outcomeRows: rowsOf(['', 'sentry.python', 'sdk \u{1f600} "']),
  })
  await planRange(pg, cursor, plan)
  expect(await takeOverCursor(pg, partition, stream)).toMatchObject({ plan, reset: 'none' })
})

test('a plan is stored in the layout of versions that know no SDKs, and one of theirs is read', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const outcomeRows = rowsOf(['sentry.python', ''])
  await planRange(pg, cursor, planOf(40, { outcomeRows }))
  const { rows } = await pg.query<{ planned_settings: object; planned_outcomes: Buffer }>(
    'select planned_settings, planned_outcomes from partition_cursors where partition = $1',
    [partition],
  )
  const [stored] = rows
  expect(stored?.planned_settings).toMatchObject({ outcomeSdks: ['sentry.python', ''] })
  expect(stored?.planned_outcomes).toEqual(takeOutSdks(outcomeRows).rows)
  await pg.query(`update partition_cursors set planned_settings = planned_settings - 'outcomeSdks'`)
  const taken = await takeOverCursor(pg, partition, stream)
  expect(Buffer.from(taken.plan!.outcomeRows)).toEqual(Buffer.from(rowsOf(['', ''])))
  expect(taken.plan?.settings).not.toHaveProperty('outcomeSdks')
})

test('a plan whose answer was lost can be written again, but not a different one', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, cursor, planOf(40))
  expect(await planRange(pg, cursor, planOf(40))).toMatchObject({ plannedSeq: 40 })
  await expect(planRange(pg, cursor, planOf(50))).rejects.toBeInstanceOf(FencedError)
})

test('a plan that arrives after its range was committed changes nothing', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const committed = await commit(await planRange(pg, cursor, planOf(40)))
  await expect(planRange(pg, cursor, planOf(40))).rejects.toBeInstanceOf(FencedError)
  expect(await readCursor(pg, partition)).toEqual(committed)
})

test('a recreated stream is reported, and a new generation begins in it on request', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, await commit(await planRange(pg, cursor, planOf(40))), planOf(60))
  const taken = await takeOverCursor(pg, partition, otherStream)
  // The cursor still belongs to the former generation: its rows have to be undone first.
  expect(taken).toMatchObject({
    cursor: { epoch: 2, generation: 1, committedSeq: 40, plannedSeq: 60 },
    plan: { plannedSeq: 60 },
    reset: 'new_stream',
  })
  const next = await beginGeneration(pg, taken.cursor, otherStream)
  expect(next).toEqual({ partition, epoch: 2, generation: 2, committedSeq: 0, plannedSeq: 0 })
  // The next owner knows the stream now and continues in it.
  expect(await takeOverCursor(pg, partition, otherStream)).toMatchObject({
    cursor: { epoch: 3, generation: 2 },
    plan: undefined,
    reset: 'none',
  })
})

test('a former owner cannot begin a generation, and no owner can begin one twice', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const next = (await takeOverCursor(pg, partition, otherStream)).cursor
  await expect(beginGeneration(pg, cursor, otherStream)).rejects.toBeInstanceOf(FencedError)
  await beginGeneration(pg, next, otherStream)
  await expect(beginGeneration(pg, next, otherStream)).rejects.toBeInstanceOf(FencedError)
  expect(await readCursor(pg, partition)).toMatchObject({ epoch: 2, generation: 2 })
})

// biome-ignore format: the columns are the point
test.each([
  ['ends where the committed range ends', 40, 'none'],
  ['was cut below it                   ', 39, 'tail_cut'],
  ['is empty again                     ', 0, 'tail_cut'],
] as const)('a stream that %s: last sequence %d is %s', async (_name, lastSeq, reset) => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await commit(await planRange(pg, cursor, planOf(40)))
  const next = await takeOverCursor(pg, partition, { ...stream, lastSeq })
  expect(next).toMatchObject({ cursor: { generation: 1, committedSeq: 40 }, reset })
})

test('a stream that was cut below a planned sequence counts as cut', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  await planRange(pg, cursor, planOf(40))
  expect(await takeOverCursor(pg, partition, { ...stream, lastSeq: 39 })).toMatchObject({
    plan: { plannedSeq: 40 },
    reset: 'tail_cut',
  })
})

test('committed sequences are returned for the given stream only', async () => {
  const incarnation = `stream of partition ${partition}`
  const { cursor } = await takeOverCursor(pg, partition, { createdAt: incarnation, lastSeq: 100 })
  await commit(await planRange(pg, cursor, planOf(40)))
  expect(await readCommittedSeqs(pg, incarnation)).toEqual(new Map([[partition, 40]]))
  expect(await readCommittedSeqs(pg, 'another')).toEqual(new Map())
})

test('no range is planned while a backup holds, until the hold has expired', async () => {
  const { cursor } = await takeOverCursor(pg, partition, stream)
  const hold = (until: string) =>
    pg.query(
      `insert into backup_holds (id, until) values ('test', now() + $1::interval)
       on conflict (id) do update set until = excluded.until`,
      [until],
    )
  await hold('10 seconds')
  await expect(planRangeUnlessHeld(pg, cursor, planOf(40))).rejects.toBeInstanceOf(PlanHeldError)
  expect(await readCursor(pg, partition)).toEqual(cursor)
  await hold('-1 seconds')
  const planned = await planRangeUnlessHeld(pg, cursor, planOf(40))
  expect(planned).toEqual({ ...cursor, plannedSeq: 40 })
  expect(await planRangeUnlessHeld(pg, cursor, planOf(40))).toEqual(planned)
  await hold('10 seconds')
  // A planned range is finished under the hold.
  await commit(planned)
  await pg.query('delete from backup_holds')
  await expect(planRangeUnlessHeld(pg, cursor, planOf(50))).rejects.toBeInstanceOf(FencedError)
})

/** Outcome rows of these SDKs, as a digest writes them. */
function rowsOf(sdks: readonly string[]): Uint8Array<ArrayBuffer> {
  const writer = new RowBinaryWriter(64)
  for (const [index, sdk] of sdks.entries()) {
    const tally = new OutcomeTally()
    const key = { projectId: 7 as ProjectId, dsnKeyNo: 1 as DsnKeyNo, component: 'web', sdk }
    const fate = { outcome: 'rejected', reason: `reason ${index}`, category: 'error' } as const
    tally.add({ ...key, ...fate, receivedAtMs: 1_763_337_600_000 }, index + 1)
    tally.write(writer)
  }
  return writer.finish()
}
