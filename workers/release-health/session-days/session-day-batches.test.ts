import { expect, test } from 'vitest'
import { inBatches } from './session-day-batches.ts'

const project = (projectId: number, rows: number, names = 1) => ({
  projectId,
  rows,
  names,
  version: 0,
})
const numbers = (batches: { readonly projectId: number }[][]) =>
  batches.map((batch) => batch.map(({ projectId }) => projectId))

// biome-ignore format: the columns are the point
test.each([
  ['none',                      [],                                                                    []],
  ['small ones',                [project(1, 10), project(2, 10)],                                      [[1, 2]]],
  ['a large one is alone',      [project(1, 10), project(2, 9_000_000), project(3, 10)],               [[1], [2], [3]]],
  ['rows',                      [project(1, 1_000_000), project(2, 1_000_000), project(3, 1)],         [[1, 2], [3]]],
  ['releases',                  [project(1, 10, 3_000), project(2, 10, 2_000), project(3, 10, 1)],     [[1, 2], [3]]],
] as const)('projects in batches: %s', (_, projects, expected) => {
  const { batches, excluded } = inBatches(projects)
  expect(numbers(batches)).toEqual(expected)
  expect(excluded).toEqual([])
})

test('many projects are several batches, and one with too many releases is in none', () => {
  const many = Array.from({ length: 2_500 }, (_, index) => project(index + 1, 1))
  const { batches, excluded } = inBatches([...many, project(9_999, 10_000, 5_001)])
  expect(batches.map((batch) => batch.length)).toEqual([1_000, 1_000, 500])
  expect(excluded.map(({ projectId }) => projectId)).toEqual([9_999])
})
