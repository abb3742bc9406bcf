import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CounterSet } from './counter-set.ts'

const span = fc
  .tuple(fc.nat(40), fc.nat(12))
  .map(([from, length]) => [from, from + length] as const)
const step = fc.record({ adds: fc.boolean(), span })

test('it contains the same counters as a plain set after any changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), span, (steps, [from, to]) => {
      const set = new CounterSet()
      const plain = new Set<number>()
      for (const {
        adds,
        span: [start, end],
      } of steps) {
        if (adds) set.add(start, end)
        else set.remove(start, end)
        for (let counter = start; counter < end; counter += 1) {
          if (adds) plain.add(counter)
          else plain.delete(counter)
        }
      }
      for (let counter = 0; counter < 60; counter += 1) {
        expect([counter, set.has(counter)]).toEqual([counter, plain.has(counter)])
      }
      expect(set.size).toBe(plain.size)
      expect(set.isEmpty).toBe(plain.size === 0)
      const wanted = Array.from({ length: to - from }, (_, index) => from + index)
      expect(set.covers(from, to)).toBe(wanted.every((counter) => plain.has(counter)))
      const bounds = [...set.ranges()].flat()
      expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b))
    }),
    { seed: 20_261_121, numRuns: 500 },
  )
})

test('ranges passed to the constructor are the same as ranges added one by one', () => {
  expect([...new CounterSet([0, 3, 5, 7]).ranges()]).toEqual([
    [0, 3],
    [5, 7],
  ])
  expect([...new CounterSet([0, 3, 3, 7]).ranges()]).toEqual([[0, 7]])
})
