import { expect, test } from 'vitest'
import { axisPosition, axisTicks, crumbOffsets, formatOffset } from './crumb-times.ts'

test('times before the crash are positive, invalid ones have no place', () => {
  const times = [
    '2026-11-21T01:00:00.000Z',
    '2026-11-21T01:00:05.250Z',
    '2026-11-21T01:00:06.000Z',
    '+275760-09-13T00:00:00.001Z',
    'yesterday',
    undefined,
  ]
  const offsets = crumbOffsets(times, '2026-11-21T01:00:05.500Z')
  expect(offsets).toEqual([5_500, 250, -500, undefined, undefined, undefined])
  expect(crumbOffsets(times, 'never')).toEqual(times.map(() => undefined))
})

// biome-ignore format: one case a line
test.each([
  [0,           '−0 ms'],
  [40,          '−40 ms'],
  [-40,         '+40 ms'],
  [1_204,       '−1.20 s'],
  [42_000,      '−42.0 s'],
  [60_000,      '−1 min'],
  [185_000,     '−3 min 5 s'],
  [3_600_000,   '−1 h'],
  [90_000_000,  '−1 d 1 h'],
])('%d ms before the crash is %s', (offset, text) => {
  expect(formatOffset(offset)).toBe(text)
})

test('the axis begins with the oldest breadcrumb and ends with the crash', () => {
  expect(axisPosition(60_000, 60_000)).toBe(0)
  expect(axisPosition(0, 60_000)).toBe(1)
  expect(axisPosition(120_000, 60_000)).toBe(0)
  expect(axisPosition(-5, 60_000)).toBe(1)
  expect(axisPosition(0, 0)).toBe(1)
  const near = axisPosition(100, 60_000) - axisPosition(1_000, 60_000)
  const far = axisPosition(50_000, 60_000) - axisPosition(60_000, 60_000)
  expect(near).toBeGreaterThan(far)
})

test('there are few ticks, from left to right, inside of the axis', () => {
  for (const oldest of [2, 900, 42_000, 3_600_000, 9e15]) {
    const positions = axisTicks(oldest).map(({ position }) => position)
    expect(positions.length).toBeLessThanOrEqual(6)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(positions.every((position) => position >= 0 && position <= 1)).toBe(true)
  }
})
