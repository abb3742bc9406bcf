/** Publishes dead letters from Postgres on a real broker. */

import { jetstreamManager } from '@nats-io/jetstream'
import { beforeEach, describe, expect, test } from 'vitest'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { decodeRecords } from '#schemas/bus/frame.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MiB, recordsPerFrameMax } from '#schemas/limits.ts'
import { storedText } from '#schemas/stored-text.ts'
import {
  type IngestStreamsFixture,
  useIngestStreams,
} from '../../test/fixtures/processes/use-ingest-streams.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import type { DeadLetter } from './dead-letter.ts'
import { DeadLetterPublisher, groupIntoFrames } from './dead-letter-publisher.ts'
import {
  countDeadLetters,
  deleteRetriedDeadLetters,
  insertDeadLetters,
} from './dead-letter-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

const installationMark = 0xabcdef
const layout = { first: 0, partitions: 4, streams: 2 }
const receivedAtMs = Date.UTC(2026, 10, 20, 12, 0, 0, 123)
let nats: NatsConnection
let onBus: IngestStreamsFixture['readFrames']

useIngestStreams(layout, (fixture) => {
  ;({ nats, readFrames: onBus } = fixture)
})

beforeEach(() => pg.query('delete from dead_letters'))

let streamSeq = 0

async function keep(
  partition: number,
  fields: Partial<DeadLetter> & { readonly at?: Partial<NonNullable<DeadLetter['record']>> } = {},
): Promise<number> {
  streamSeq += 1
  const { at, ...own } = fields
  const deadLetter: DeadLetter = {
    streamSeq,
    recordIndex: 0,
    projectId: project,
    reason: 'undigestible',
    detail: storedText('no'),
    bytes: Buffer.from('{"message":"m"}'),
    record: {
      kind: 'event',
      dsnKeyNo: 7 as DsnKeyNo,
      receivedAtMs,
      recordId: hashOf(`${streamSeq}`),
      address: undefined,
      header: storedText('{}'),
      ...at,
    },
    ...own,
  }
  const cursor = { partition, epoch: 1, generation: 1, committedSeq: 0, plannedSeq: 0 }
  await inTransaction(pg, (client) => insertDeadLetters(client, cursor, [deadLetter]))
  const { rows } = await pg.query('select max(id) as id from dead_letters')
  return rows[0].id
}

const request = (ids: readonly number[]) =>
  pg.query('update dead_letters set retry_requested_at = now() where id = any($1)', [ids])
const passMinute = () =>
  pg.query(`update dead_letters set retry_sent_at = retry_sent_at - interval '61 seconds'`)
const publisher = (given = layout) => new DeadLetterPublisher(pg, nats, given, installationMark)

describe('A dead letter', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, string | undefined]>([
    ['without an address', undefined],
    ['from IPv4',          '192.0.2.7'],
    ['from IPv6',          '2001:db8::7'],
  ])('%s is published unchanged, and only on request', async (_name, address) => {
    const header = '{"component":"work\\u0001er","sent_at":"2026"}'
    const id = await keep(2, { at: { address, header: storedText(header), kind: 'check_in' } })
    expect(await publisher().publish()).toBe(0)
    await request([id])
    expect(await publisher().publish()).toBe(1)
    expect(await publisher().publish()).toBe(0)
    const [frame, ...others] = await onBus()
    expect(others).toEqual([])
    expect(frame).toMatchObject({ partition: 2, counter: 0, installationMark })
    expect(decodeRecords(frame!)).toEqual([
      {
        kind: 'check_in',
        projectId: project,
        dsnKeyNo: 7,
        leaseNo: 0,
        receivedAtMs,
        recordId: hashOf(`${streamSeq}`),
        address,
        header: { ...JSON.parse(header), retry: { dead_letter: id, reason: 'undigestible' } },
        payload: Buffer.from('{"message":"m"}'),
      },
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['the beginning of time',         0],
    ['a millisecond of a far year',   2 ** 48 - 1],
    ['a millisecond of this century', 1_795_348_799_999],
  ])('keeps %s as its time of receipt', async (_name, at) => {
    await request([await keep(0, { at: { receivedAtMs: at } })])
    await publisher().publish()
    expect((await onBus()).flatMap(decodeRecords)).toMatchObject([{ receivedAtMs: at }])
  })

  test('is counted by its reason', async () => {
    await keep(0)
    await keep(1)
    await keep(1, { recordIndex: -1, reason: 'unreadable_frame', projectId: undefined })
    expect(await countDeadLetters(pg)).toEqual(
      new Map([
        ['undigestible', 2],
        ['unreadable_frame', 1],
      ]),
    )
  })
})

describe('A frame of dead letters', () => {
  test('is published again with the same bytes until a commit has deleted its dead letters', async () => {
    const ids = [await keep(1), await keep(1), await keep(1)]
    await request(ids)
    await publisher().publish()
    const manager = await jetstreamManager(nats)
    // With one number, the broker recognises a duplicate and keeps one message until it forgets it.
    for (const index of [0, 1])
      await manager.streams.update(`INGEST-${index}`, { duplicate_window: 100_000_000 })
    const published = async () => {
      await passMinute()
      expect(await publisher().publish()).toBe(3)
      return (await onBus()).length
    }
    await expect.poll(published, { interval: 400 }).toBe(2)
    const [first, second] = await onBus()
    expect(second).toEqual(first)
    await passMinute()
    await inTransaction(pg, (client) => deleteRetriedDeadLetters(client, ids))
    expect(await publisher().publish()).toBe(0)
  })

  test('gets no dead letter that is requested later', async () => {
    await request([await keep(1)])
    await publisher().publish()
    await request([await keep(1)])
    expect(await publisher().publish()).toBe(1)
    expect(new Set((await onBus()).map(({ instanceId }) => instanceId)).size).toBe(2)
  })

  test('is unchanged after a failed publish', async () => {
    await request([await keep(2), await keep(3)])
    const wrong = { ...layout, streams: 3 }
    await expect(publisher(wrong).publish()).rejects.toThrow()
    const frames = async () =>
      (await pg.query('select retry_instance_id, retry_partition from dead_letters order by id'))
        .rows
    const before = await frames()
    expect(before.every(({ retry_instance_id: id }) => id !== null)).toBe(true)
    expect(await publisher().publish()).toBe(2)
    expect(await frames()).toEqual(before)
  })

  test('is created by one of two concurrent processes', async () => {
    const ids: number[] = []
    for (let index = 0; index < 30; index += 1) ids.push(await keep(index % 4))
    await request(ids)
    await Promise.all([publisher().publish(), publisher().publish()])
    await publisher().publish()
    const deadLetters = (await onBus())
      .flatMap(decodeRecords)
      .map(({ header }) => header.retry?.dead_letter)
    expect(new Set(deadLetters)).toEqual(new Set(ids))
    const frames = new Set(
      (await onBus()).map(({ instanceId, partition }) => `${instanceId} ${partition}`),
    )
    // When the second process publishes a frame, the broker reports a duplicate.
    expect(frames.size).toBe((await onBus()).length)
  })

  test('for a partition that no longer exists is replaced by one for an existing partition', async () => {
    const id = await keep(9)
    await request([id])
    await publisher().publish()
    const [frame] = await onBus()
    expect(frame!.partition).toBeLessThan(4)
    await pg.query('update dead_letters set retry_partition = 17')
    expect(await publisher().publish()).toBe(1)
    expect((await onBus()).map(({ partition }) => partition)).toEqual([
      frame!.partition,
      frame!.partition,
    ])
  })
})

describe('Dead letters are grouped into frames', () => {
  const deadLetter = (id: number, partition: number, payloadBytes = 10) => {
    return { id, partition, payloadBytes, projectId: project, recordId: hashOf(`${id}`) }
  }
  const idsOf = (deadLetters: Parameters<typeof groupIntoFrames>[0]) =>
    groupIntoFrames(deadLetters, firstLayout({ partitions: 4, streams: 1 })).map((frame) =>
      frame.deadLetters.map(({ id }) => id),
    )

  test('by partition', () => {
    expect(idsOf([deadLetter(1, 0), deadLetter(2, 1), deadLetter(3, 0)])).toEqual([[1, 3], [2]])
  })

  test('of at most 1 MiB, or of one dead letter', () => {
    const deadLetters = [
      deadLetter(1, 0, MiB),
      deadLetter(2, 0, 2 * MiB),
      deadLetter(3, 0, MiB / 2),
      deadLetter(4, 0, MiB / 2),
      deadLetter(5, 0, 1),
    ]
    expect(idsOf(deadLetters)).toEqual([[1], [2], [3, 4], [5]])
  })

  test('of at most the maximum number of records', () => {
    const deadLetters = Array.from({ length: recordsPerFrameMax + 1 }, (_, index) =>
      deadLetter(index, 0),
    )
    expect(idsOf(deadLetters).map(({ length }) => length)).toEqual([recordsPerFrameMax, 1])
  })
})
