import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { bytesPerId, IdTable } from './id-table.ts'
import { generationMs, idsPerGenerationMax, ReleasedIds } from './released-ids.ts'

const projectId = 42 as ProjectId

function setUp(idsMax?: number) {
  const time = { ms: 0 }
  const ids = new ReleasedIds({
    monotonicMs: () => time.ms,
    ...(idsMax === undefined ? {} : { idsPerGenerationMax: idsMax }),
  })
  return { time, ids }
}

test('an id is known for at least ten minutes, and not for ever', () => {
  const { time, ids } = setUp()
  const id = randomBytes(16)
  time.ms = generationMs - 1
  ids.add(projectId, id)
  time.ms = 2 * generationMs - 1
  ids.tick()
  expect(ids.has(projectId, id)).toBe(true)
  time.ms = 3 * generationMs - 1
  ids.tick()
  expect(ids.has(projectId, id)).toBe(false)
})

test('an id of one project is not that of another', () => {
  const { ids } = setUp()
  const id = randomBytes(16)
  ids.add(projectId, id)
  expect(ids.has(43 as ProjectId, id)).toBe(false)
  // Projects that differ only beyond 32 bits.
  expect(ids.has((42 + 2 ** 32) as ProjectId, id)).toBe(false)
})

test('an id costs 24 bytes, and all of them together no more than 48 MiB', () => {
  expect(bytesPerId).toBe(24)
  expect(2 * idsPerGenerationMax * bytesPerId).toBe(48 * 1024 * 1024)
  const idsMax = 50_000
  const { ids } = setUp(idsMax)
  for (let count = 0; count < 3 * idsMax; count += 1) ids.add(projectId, randomBytes(16))
  expect(ids.byteLength).toBeLessThanOrEqual(2 * idsMax * bytesPerId)
})

test('more ids than fit shorten the window, the latest stay known', () => {
  const idsMax = 5_000
  const { ids } = setUp(idsMax)
  const all = Array.from({ length: 12_000 }, () => randomBytes(16))
  for (const id of all) ids.add(projectId, id)
  expect(all.slice(-idsMax).every((id) => ids.has(projectId, id))).toBe(true)
  expect(ids.has(projectId, all[0]!)).toBe(false)
})

test('steady traffic needs one table after the first generation', () => {
  const { time, ids } = setUp()
  const fill = () => {
    for (let count = 0; count < 20_000; count += 1) ids.add(projectId, randomBytes(16))
    time.ms += generationMs
    ids.tick()
  }
  for (let generation = 0; generation < 3; generation += 1) fill()
  expect(ids.byteLength).toBe(2 * 25_000 * bytesPerId)
})

test('a table takes as many ids as it was made for, and no more', () => {
  const table = new IdTable(2)
  const id = (a: number) => ({ a, b: 0, c: 0 }) as Parameters<IdTable['add']>[0]
  for (const a of [1, 2, 2]) table.add(id(a))
  expect(table.count).toBe(2)
  expect([1, 2, 3].map((a) => table.has(id(a)))).toEqual([true, true, false])
  expect(() => table.add(id(3))).toThrow()
})
