import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

test('it keeps the most recently set keys, for any sequence of sets and deletes', () => {
  const step = fc.record({ key: fc.nat(12), deletes: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 8 }),
      (steps, max) => {
        const map = new RecentMap<number, number>(max)
        let model: { key: number; value: number }[] = []
        for (const [value, { key, deletes }] of steps.entries()) {
          model = model.filter((entry) => entry.key !== key)
          if (deletes) map.delete(key)
          else {
            model.push({ key, value })
            const forgotten = max < model.length ? model.shift()?.value : undefined
            expect(map.set(key, value)).toBe(forgotten)
          }
          for (let known = 0; known <= 12; known += 1) {
            expect(map.get(known)).toBe(model.find((entry) => entry.key === known)?.value)
          }
        }
      },
    ),
    { seed: 20_261_121 },
  )
})
