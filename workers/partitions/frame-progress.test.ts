import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstFrameCounter } from '#schemas/bus/frame.ts'
import { FrameProgress, gapsPerInstanceMax } from './frame-progress.ts'

const instance = 'a'.repeat(32)

test('a frame counts once', () => {
  const progress = new FrameProgress()
  expect(progress.add(instance, 0)).toBe('fresh')
  expect(progress.add(instance, 0)).toBe('repeated')
  expect(progress.changes()).toEqual([{ instanceId: instance, contiguous: 1, ahead: [] }])
})

test('a frame that comes late closes the gap', () => {
  const progress = new FrameProgress([{ instanceId: instance, contiguous: 5, ahead: [6, 8] }])
  expect(progress.add(instance, 6)).toBe('repeated')
  expect(progress.add(instance, 4)).toBe('repeated')
  expect(progress.add(instance, 5)).toBe('fresh')
  expect(progress.changes()).toEqual([{ instanceId: instance, contiguous: 8, ahead: [] }])
})

test('counters after a gap are kept as ranges that grow and join', () => {
  const progress = new FrameProgress()
  for (const counter of [7, 3, 5, 4, 8, 12]) expect(progress.add(instance, counter)).toBe('fresh')
  expect(progress.changes()).toMatchObject([{ contiguous: 0, ahead: [3, 6, 7, 9, 12, 13] }])
  expect(progress.add(instance, 6)).toBe('fresh')
  for (const counter of [3, 6, 8, 12]) expect(progress.add(instance, counter)).toBe('repeated')
  expect(progress.changes()).toMatchObject([{ contiguous: 0, ahead: [3, 9, 12, 13] }])
})

test('a gap is never given up, regardless of the number of frames after it', () => {
  const progress = new FrameProgress()
  for (let counter = 1; counter <= 20_000; counter += 1) progress.add(instance, counter)
  expect(progress.changes()).toEqual([{ instanceId: instance, contiguous: 0, ahead: [1, 20_001] }])
  expect(progress.add(instance, 0)).toBe('fresh')
  expect(progress.changes()).toEqual([{ instanceId: instance, contiguous: 20_001, ahead: [] }])
})

test('a frame that would exceed the maximum number of gaps is refused and not recorded', () => {
  const progress = new FrameProgress()
  for (let gap = 1; gap <= gapsPerInstanceMax; gap += 1) {
    expect(progress.add(instance, gap * 2)).toBe('fresh')
  }
  const beyond = gapsPerInstanceMax * 2 + 2
  expect(progress.add(instance, beyond)).toBe('refused')
  // A frame that adds no gap is still accepted, and closes one.
  expect(progress.add(instance, beyond - 1)).toBe('fresh')
  expect(progress.add(instance, 0)).toBe('fresh')
  expect(progress.add(instance, 1)).toBe('fresh')
  expect(progress.add(instance, beyond + 1)).toBe('fresh')
})

test('the first frame of an instance leaves no gap', () => {
  const progress = new FrameProgress()
  progress.add(instance, firstFrameCounter)
  expect(progress.changes()).toMatchObject([{ ahead: [] }])
})

test('each ingest instance has its own progress', () => {
  const progress = new FrameProgress()
  expect(progress.add(instance, 0)).toBe('fresh')
  expect(progress.add('b'.repeat(32), 0)).toBe('fresh')
})

test('a change of a copy does not affect the original', () => {
  const progress = new FrameProgress([{ instanceId: instance, contiguous: 1, ahead: [] }])
  const copy = progress.copy()
  expect(copy.changes()).toEqual([])
  expect(copy.add(instance, 1)).toBe('fresh')
  expect(progress.add(instance, 1)).toBe('fresh')
})

test('frames in any order and repetition count once each, also when the progress is saved and loaded', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }),
      fc.array(fc.nat(19)),
      fc.nat(39),
      (order, repeats, saveAt) => {
        let progress = new FrameProgress()
        let fresh = 0
        for (const [index, counter] of [...order, ...repeats].entries()) {
          if (progress.add(instance, counter) === 'fresh') fresh += 1
          if (index === saveAt) progress = new FrameProgress(progress.changes())
        }
        expect(fresh).toBe(20)
        expect(progress.copy().add(instance, 19)).toBe('repeated')
      },
    ),
    { seed: 1 },
  )
})

test('a range is a pair of counters with a gap before it, in any order of arrival', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60), { maxLength: 60 }), (counters) => {
      const progress = new FrameProgress()
      for (const counter of counters) progress.add(instance, counter)
      const [saved = { contiguous: 0, ahead: [] }] = progress.changes()
      const told = new Set(Array.from({ length: saved.contiguous }, (_, counter) => counter))
      let end = saved.contiguous
      for (let at = 0; at < saved.ahead.length; at += 2) {
        expect(saved.ahead[at]).toBeGreaterThan(end)
        end = saved.ahead[at + 1]!
        for (let counter = saved.ahead[at]!; counter < end; counter += 1) told.add(counter)
      }
      expect([...told].sort((a, b) => a - b)).toEqual([...counters].sort((a, b) => a - b))
    }),
    { seed: 2 },
  )
})
