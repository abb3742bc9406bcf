import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlidingWindow } from './sliding-window.ts'

const windowMs = 60_000

test('a window slides: each hit expires on its own', () => {
  const window = new SlidingWindow({ windowMs, keysMax: 10 })
  for (const atMs of [0, 10_000, 20_000]) expect(window.hit('a', 3, atMs).isFull).toBe(false)
  expect(window.hit('a', 3, 59_999)).toMatchObject({ isFull: true, remaining: 0, resetSeconds: 1 })
  expect(window.hit('a', 3, 60_000)).toMatchObject({ isFull: false, remaining: 0 })
  expect(window.hit('a', 3, 60_001)).toMatchObject({ isFull: true, resetSeconds: 10 })
  expect(window.hit('b', 3, 60_001)).toMatchObject({ isFull: false, remaining: 2 })
})

test('a hit after the returned wait is accepted', () => {
  const window = new SlidingWindow({ windowMs, keysMax: 10 })
  for (let index = 0; index < 5; index += 1) window.hit('a', 5, 123)
  const { resetSeconds } = window.hit('a', 5, 30_456)
  expect(window.hit('a', 5, 30_456 + resetSeconds * 1000).isFull).toBe(false)
})

test('the least recently used key is evicted first, and counted if it had hits', () => {
  const window = new SlidingWindow({ windowMs, keysMax: 2 })
  window.hit('a', 1, 0)
  window.hit('b', 1, 1)
  expect(window.hit('a', 1, 2).isFull).toBe(true)
  window.hit('c', 1, 3)
  expect(window.evictedCount).toBe(1)
  expect(window.hit('a', 1, 4).isFull).toBe(true)
  window.hit('d', 1, 200_000)
  expect(window.evictedCount).toBe(1)
})

test('no window has more hits than allowed, and no hit is refused below the limit', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 80 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 6 }), (steps, hitsMax) => {
      const window = new SlidingWindow({ windowMs, keysMax: 3 })
      const taken: number[] = []
      let nowMs = 0
      for (const step of steps) {
        nowMs += step
        const inside = taken.filter((atMs) => nowMs - windowMs < atMs).length
        const { isFull } = window.hit('a', hitsMax, nowMs)
        expect(isFull).toBe(hitsMax <= inside)
        if (!isFull) taken.push(nowMs)
      }
    }),
    { seed: 20_261_121 },
  )
})
