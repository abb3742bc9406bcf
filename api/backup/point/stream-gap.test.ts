import { expect, test } from 'vitest'
import { ingestStream } from '#schemas/bus/subjects.ts'
import { planReplay, streamsFrom } from './stream-gap-store.ts'

const cursor = (partition: number, committedSeq: number) => {
  return { partition, committedSeq, generation: 1, incarnation: 'now' }
}
const stream = (name: string, firstSeq: number, createdAt = 'now') => {
  return { name, createdAt, firstSeq, lastSeq: 200, installationId: undefined }
}
const missingOf = (...args: Parameters<typeof planReplay>) =>
  planReplay(...args).map((one) => one.missing)

test('nothing is missing when only committed messages were purged, also beside an idle partition', () => {
  const cursors = [cursor(0, 100), cursor(1, 7)]
  expect(missingOf(cursors, [stream(ingestStream, 1)])).toEqual([undefined, undefined])
  expect(missingOf(cursors, [stream(ingestStream, 101)])).toEqual([undefined, undefined])
})

test('streams of partitions that were added after the point are named if they have messages', () => {
  const unused = { ...stream('INGEST_8', 1), lastSeq: 0 }
  const streams = [stream(ingestStream, 1), stream('INGEST_4', 1), unused, stream('INGEST_12-1', 9)]
  expect(streamsFrom(4, streams)).toEqual(['INGEST_4', 'INGEST_12-1'])
  expect(streamsFrom(5, streams)).toEqual(['INGEST_12-1'])
  expect(streamsFrom(13, streams)).toEqual([])
})

test('messages after the point that were purged are named', () => {
  const cursors = [cursor(0, 100), cursor(1, 7)]
  const missing = { from: 101, to: 119 }
  expect(missingOf(cursors, [stream(ingestStream, 120)])).toEqual([missing, missing])
})

test('each of several streams is compared with its own partitions', () => {
  const cursors = [cursor(0, 100), cursor(1, 7), cursor(2, 90), cursor(3, 8)]
  const streams = [stream(`${ingestStream}-0`, 101), stream(`${ingestStream}-1`, 12)]
  const missing = { from: 9, to: 11 }
  expect(missingOf(cursors, streams)).toEqual([undefined, missing, undefined, missing])
})

test('a stream that was created again, or is missing, is read from its start', () => {
  const cursors = [cursor(0, 100)]
  const other = { partition: 0, stream: 'other', committedSeq: 100, missing: undefined }
  expect(planReplay(cursors, [stream(ingestStream, 500, 'later')])).toEqual([
    { ...other, lastSeq: 200 },
  ])
  expect(planReplay(cursors, [])).toEqual([{ ...other, lastSeq: 0 }])
})
