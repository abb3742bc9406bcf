import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { bytesPerId, IdTable } from './id-table.ts'
import { generationMs, idsPerGenerationMax, type NotedIds, ReleasedIds } from './released-ids.ts'

const projectId = 42 as ProjectId

function setUp(idsMax?: number) {
  const time = { ms: 0 }
  const ids = new ReleasedIds({
    monotonicMs: () => time.ms,
    ...(idsMax === undefined ? {} : { idsPerGenerationMax: idsMax }),
  })
  const add = (id: Uint8Array) => addTo(ids, id)
  return { time, ids, add }
}

let lastId = 0

function newId(): Uint8Array {
  const id = Buffer.alloc(16)
  lastId += 1
  id.writeUInt32BE(lastId, lastId % 13)
  return id
}

/** Adds an id like a request: looks it up first, and adds it when the request is released. */
function addTo(ids: ReleasedIds, id: Uint8Array): void {
  const noted: NotedIds = []
  if (ids.has(projectId, id)) return
  ids.note(noted)
  ids.add(noted)
}

test('an id is known for at least ten minutes, and not forever', () => {
  const { time, ids, add } = setUp()
  const id = newId()
  time.ms = generationMs - 1
  add(id)
  time.ms = 2 * generationMs - 1
  ids.tick()
  expect(ids.has(projectId, id)).toBe(true)
  time.ms = 3 * generationMs - 1
  ids.tick()
  expect(ids.has(projectId, id)).toBe(false)
})

test('equal ids of two projects are different', () => {
  const { ids, add } = setUp()
  const id = newId()
  add(id)
  expect(ids.has(43 as ProjectId, id)).toBe(false)
  // Projects that differ only beyond 32 bits.
  expect(ids.has((42 + 2 ** 32) as ProjectId, id)).toBe(false)
})

test('an id costs 24 bytes, and all of them together no more than 48 MiB', () => {
  expect(bytesPerId).toBe(24)
  expect(2 * idsPerGenerationMax * bytesPerId).toBe(48 * 1024 * 1024)
  const idsMax = 50_000
  const { ids, add } = setUp(idsMax)
  for (let count = 0; count < 3 * idsMax; count += 1) add(newId())
  expect(ids.byteLength).toBeLessThanOrEqual(2 * idsMax * bytesPerId)
})

test('more ids than fit shorten the window, and the latest stay known', () => {
  const idsMax = 5_000
  const { ids, add } = setUp(idsMax)
  const all = Array.from({ length: 12_000 }, () => newId())
  for (const id of all) add(id)
  expect(all.slice(-idsMax).every((id) => ids.has(projectId, id))).toBe(true)
  expect(ids.has(projectId, all[0]!)).toBe(false)
})

test('steady traffic needs one table after the first generation', () => {
  const { time, ids, add } = setUp()
  const fill = () => {
    for (let count = 0; count < 80_000; count += 1) add(newId())
    time.ms += generationMs
    ids.tick()
  }
  for (let generation = 0; generation < 3; generation += 1) fill()
  expect(ids.byteLength).toBe(2 * 100_000 * bytesPerId)
})

test('a table holds exactly the number of ids that it was created for', () => {
  const table = new IdTable(2)
  for (const a of [1, 2, 2]) table.add(a, 0, 0)
  expect(table.count).toBe(2)
  expect([1, 2, 3].map((a) => table.has(a, 0, 0))).toEqual([true, true, false])
  expect(() => table.add(3, 0, 0)).toThrow()
})
