import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlabRegions } from './slab-regions.ts'

test('regions lie one after another, until there is no room', () => {
  const regions = new SlabRegions(100)
  expect([40, 50, 11, 10, 1].map((length) => regions.add(length))).toEqual([
    ...[0, 40, undefined, 90, undefined],
  ])
  expect(regions.usedBytes).toBe(100)
})

test('any offset in a region removes it, once', () => {
  const regions = new SlabRegions(100)
  for (const length of [10, 20, 30]) regions.add(length)
  expect([60, 9, 0, 10, 29, 59, 30].map((offset) => regions.remove(offset))).toEqual([
    ...[false, true, false, true, false, true, false],
  ])
  expect([regions.usedBytes, regions.isEmpty]).toEqual([0, true])
})

test('nothing of an empty slab is removed', () => {
  const regions = new SlabRegions(100)
  expect(regions.remove(0)).toBe(false)
  regions.add(10)
  regions.remove(0)
  expect([regions.remove(0), regions.isEmpty]).toEqual([false, true])
})

test('regions of any sizes, removed in any order, never overlap', () => {
  const step = fc.record({ length: fc.integer({ min: 1, max: 400 }), remove: fc.nat() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const regions = new SlabRegions(1_000)
      const used: { start: number; end: number }[] = []
      for (const { length, remove } of steps) {
        const start = regions.add(length)
        if (start === undefined) expect(used).not.toEqual([])
        else {
          const end = start + length
          expect(end).toBeLessThanOrEqual(1_000)
          for (const other of used) expect(end <= other.start || other.end <= start).toBe(true)
          used.push({ start, end })
        }
        if (used.length > 0 && remove % 2 === 0) {
          const [gone] = used.splice(remove % used.length, 1)
          const offset = gone!.start + (remove % (gone!.end - gone!.start))
          expect(regions.remove(offset)).toBe(true)
          expect(regions.remove(offset)).toBe(false)
        }
        expect(regions.usedBytes).toBe(used.reduce((sum, { start, end }) => sum + end - start, 0))
        expect(regions.isEmpty).toBe(used.length === 0)
      }
    }),
  )
})
