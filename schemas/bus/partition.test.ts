import { expect, test } from 'vitest'
import type { ProjectId } from '../ids.ts'
import { partitionOf } from './partition.ts'

const ids = {
  a: '5f0c1d2e3a4b4c5d8e9f001122334455',
  zero: '0'.repeat(32),
  ones: 'f'.repeat(32),
}

// Every other version must compute the same partitions: records with one id must always be in one
// partition.
// biome-ignore format: the columns are the point
test.each([
  [1, ids.a, 4, 2],
  [1, ids.a, 64, 46],
  [1, ids.zero, 4, 3],
  [1, ids.zero, 64, 43],
  [1, ids.ones, 4, 3],
  [1, ids.ones, 64, 55],
  [42, ids.a, 4, 1],
  [42, ids.a, 64, 13],
  [42, ids.zero, 4, 0],
  [42, ids.zero, 64, 16],
  [42, ids.ones, 4, 0],
  [42, ids.ones, 64, 12],
  [281474976710655, ids.a, 4, 2],
  [281474976710655, ids.a, 64, 18],
  [281474976710655, ids.zero, 4, 0],
  [281474976710655, ids.zero, 64, 32],
  [281474976710655, ids.ones, 4, 1],
  [281474976710655, ids.ones, 64, 1],
] as const)('project %d, record %s of %d partitions is in %d', (project, id, count, want) => {
  expect(partitionOf(project as ProjectId, Buffer.from(id, 'hex'), 0, count)).toBe(want)
})

test('the id is read at its offset', () => {
  const padded = Buffer.concat([Buffer.alloc(5, 7), Buffer.from(ids.a, 'hex')])
  const at = (bytes: Uint8Array, offset: number) => partitionOf(42 as ProjectId, bytes, offset, 64)
  expect(at(padded, 5)).toBe(at(Buffer.from(ids.a, 'hex'), 0))
})

test('ids that differ in one byte are distributed evenly', () => {
  const perPartition = new Array<number>(16).fill(0)
  const id = Buffer.alloc(16)
  for (let count = 0; count < 16_000; count += 1) {
    id.writeUInt32BE(count, 12)
    perPartition[partitionOf(1 as ProjectId, id, 0, 16)]! += 1
  }
  for (const count of perPartition) expect(Math.abs(count - 1000)).toBeLessThan(150)
})
