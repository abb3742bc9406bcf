import { expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import type { Database, Postgres } from '../database.ts'
import { type BufferedHit, HitBuffer } from './hit-buffer.ts'

/** Records writes. The store can be made unavailable. */
class FakeStore implements Postgres {
  isAway = false
  readonly written: { contactId: string | null; machine: boolean; linkIndex: number | null }[] = []
  readonly proven: string[] = []

  readonly query: Database['query'] = async (text, values = []) => {
    if (this.isAway) throw new Error('the store is away')
    if (text.includes('json_to_recordset')) this.written.push(...JSON.parse(String(values[0])))
    if (text.includes('soft_run')) this.proven.push(...(values[0] as string[]))
    const pairs = text.includes('handed_over_at') ? (values[0] as string[]) : []
    return { rows: pairs.map(() => ({ at: null })), rowCount: pairs.length } as never
  }

  async transaction<T>(work: (client: Database) => Promise<T>): Promise<T> {
    return await work({ query: this.query })
  }
}

function open() {
  const time = { nowMs: 1_000_000 }
  const pg = new FakeStore()
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs }
  return { time, pg, buffer: new HitBuffer({ pg, clock, log: createLogger('test', 'silent') }) }
}

function hit(parts: Partial<BufferedHit> = {}): BufferedHit {
  return {
    campaignId: 'c',
    contactId: 'r',
    kind: 'click',
    linkIndex: 0,
    isProbe: false,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    atMs: 1_000_000,
    namesContact: true,
    ...parts,
  }
}

test('a hit is buffered until no burst can follow, and written once', async () => {
  const { time, pg, buffer } = open()
  buffer.add(hit())
  time.nowMs += 2_999
  await buffer.flush()
  expect(pg.written).toEqual([])
  time.nowMs += 1
  await buffer.flush()
  await buffer.flush()
  expect(pg.written).toMatchObject([{ contactId: 'r', machine: false }])
  expect(pg.proven).toEqual(['r'])
})

test('clicks within two seconds mark also the first one as a machine’s, across batches', async () => {
  const { time, pg, buffer } = open()
  buffer.add(hit())
  buffer.add(hit({ linkIndex: 1, atMs: 1_001_000 }))
  buffer.add(hit({ linkIndex: 2, atMs: 1_002_000 }))
  time.nowMs += 3_000
  await buffer.flush()
  time.nowMs += 2_000
  await buffer.flush()
  expect(pg.written.map(({ linkIndex, machine }) => [linkIndex, machine])).toEqual([
    [0, true],
    [1, true],
    [2, true],
  ])
  expect(pg.proven).toEqual([])
})

test('a failed write is repeated, and nothing is lost or written twice', async () => {
  const { time, pg, buffer } = open()
  buffer.add(hit({ namesContact: false }))
  time.nowMs += 5_000
  pg.isAway = true
  await expect(buffer.flush()).rejects.toThrow('the store is away')
  pg.isAway = false
  await buffer.flush()
  await buffer.flush()
  expect(pg.written).toMatchObject([{ contactId: null }])
})

test('hits of one contact are limited, and those of others are not affected', async () => {
  const { buffer, pg } = open()
  for (let no = 0; no < 300; no += 1) buffer.add(hit())
  buffer.add(hit({ contactId: 's' }))
  expect(buffer.droppedCount).toBe(100)
  await buffer.flushAll()
  expect(pg.written).toHaveLength(201)
})

test('many hits are written in batches of one flush', async () => {
  const { time, buffer, pg } = open()
  for (let no = 0; no < 2_500; no += 1) buffer.add(hit({ contactId: `r${no}` }))
  time.nowMs += 3_000
  await buffer.flush()
  expect(pg.written).toHaveLength(2_500)
})

test('the last flush writes all buffered hits, and ends also if Postgres does not respond', async () => {
  const { buffer, pg } = open()
  buffer.add(hit())
  pg.isAway = true
  await buffer.flushAll()
  expect(pg.written).toEqual([])
  pg.isAway = false
  await buffer.flushAll()
  expect(pg.written).toHaveLength(1)
})
