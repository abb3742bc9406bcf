import { expect, test } from 'vitest'
import { median, medianBy } from './median.ts'

test('the median is one of the values, in any order', () => {
  expect(median([5, 1, 3])).toBe(3)
  expect(median([4, 1])).toBe(1)
  expect(median([2])).toBe(2)
  expect(medianBy([{ rate: 9 }, { rate: 1 }, { rate: 5 }], (item) => item.rate)).toEqual({
    rate: 5,
  })
})
