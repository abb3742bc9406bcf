import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstFrameCounter } from '#schemas/bus/frame.ts'
import { framesInFlightMax } from '#schemas/limits.ts'
import { FrameProgress } from './frame-progress.ts'

const boot = 'a'.repeat(32)

test('a frame counts once', () => {
  const progress = new FrameProgress()
  expect(progress.add(boot, 0)).toBe(true)
  expect(progress.add(boot, 0)).toBe(false)
  expect(progress.changes()).toEqual([{ bootId: boot, contiguous: 1, ahead: [] }])
})

test('a frame that comes late closes the gap', () => {
  const progress = new FrameProgress([{ bootId: boot, contiguous: 5, ahead: [6, 7] }])
  expect(progress.add(boot, 6)).toBe(false)
  expect(progress.add(boot, 4)).toBe(false)
  expect(progress.add(boot, 5)).toBe(true)
  expect(progress.changes()).toEqual([{ bootId: boot, contiguous: 8, ahead: [] }])
})

test('a gap that will not be closed any more does not let the list grow for ever', () => {
  const progress = new FrameProgress()
  for (let counter = 1; counter <= framesInFlightMax * 3; counter += 1) progress.add(boot, counter)
  const [saved] = progress.changes()
  expect(saved?.ahead.length).toBeLessThanOrEqual(framesInFlightMax)
  expect(saved?.contiguous).toBe(framesInFlightMax * 3 + 1)
  expect(progress.add(boot, framesInFlightMax)).toBe(false)
})

test('the first frame of a boot leaves nothing ahead', () => {
  const progress = new FrameProgress()
  progress.add(boot, firstFrameCounter)
  expect(progress.changes()).toMatchObject([{ ahead: [] }])
})

test('each boot of each ingest process counts for itself', () => {
  const progress = new FrameProgress()
  expect(progress.add(boot, 0)).toBe(true)
  expect(progress.add('b'.repeat(32), 0)).toBe(true)
})

test('what a copy learns stays in the copy', () => {
  const progress = new FrameProgress([{ bootId: boot, contiguous: 1, ahead: [] }])
  const copy = progress.copy()
  expect(copy.changes()).toEqual([])
  expect(copy.add(boot, 1)).toBe(true)
  expect(progress.add(boot, 1)).toBe(true)
})

test('frames in any order with any repeats count once each, saved and loaded in between', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }),
      fc.array(fc.nat(19)),
      fc.nat(39),
      (order, repeats, saveAt) => {
        let progress = new FrameProgress()
        let fresh = 0
        for (const [index, counter] of [...order, ...repeats].entries()) {
          if (progress.add(boot, counter)) fresh += 1
          if (index === saveAt) progress = new FrameProgress(progress.changes())
        }
        expect(fresh).toBe(20)
        expect(progress.copy().add(boot, 19)).toBe(false)
      },
    ),
    { seed: 1 },
  )
})
