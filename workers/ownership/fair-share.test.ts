import { expect, test } from 'vitest'
import { firstLayout } from '#schemas/bus/layout.ts'
import { planShare, type WorkerShare } from './fair-share.ts'

const workers = (...owned: readonly (readonly number[])[]): WorkerShare[] =>
  owned.map((partitions, at) => ({ id: `w${at}`, owned: partitions }))

// biome-ignore format: the columns are the point
test.each([
  // [what, partitions, who holds what, self, claims, releases]
  ['a single worker takes all                       ', 4, workers([]),                              0, 4, []],
  ['all of them hold their share                    ', 4, workers([0, 1], [2, 3]),                  0, 0, []],
  ['one with half, the other releases               ', 4, workers([0, 1, 2, 3], []),                0, 0, [2, 3]],
  ['it holds none, and all are held                 ', 4, workers([0, 1, 2, 3], []),                1, 2, []],
  ['three share four: the larger share stays        ', 4, workers([0], [1, 3], [2]),                1, 0, []],
  ['three share four: one is enough                 ', 4, workers([0], [1, 3], [2]),                0, 0, []],
  ['two have two, one none: the later releases      ', 4, workers([0, 1], [2, 3], []),              1, 0, [3]],
  ['two have two, one none: the first keeps         ', 4, workers([0, 1], [2, 3], []),              0, 0, []],
  ['one is free: the first of equals takes it       ', 4, workers([0], [1], [2]),                   0, 1, []],
  ['one is free: the others leave it                ', 4, workers([0], [1], [2]),                   2, 0, []],
  ['more workers than partitions: one too many waits', 2, workers([0], [1], []),                    2, 0, []],
  ['more workers than partitions: two is one too many', 2, workers([0, 1], [], []),                 0, 0, [1]],
] as const)('%s', (_what, partitionCount, seen, self, claimsMax, release) => {
  const move = planShare({ layout: firstLayout({ partitions: partitionCount, streams: 1 }), self: `w${self}`, workers: seen })
  expect(move.claimsMax).toBe(claimsMax)
  expect(move.release).toEqual(release)
})

test('only free partitions are claimed, and workers begin with different ones', () => {
  const seen = workers([1], [4], [])
  const claims = [0, 1, 2].map(
    (self) =>
      planShare({
        layout: firstLayout({ partitions: 6, streams: 1 }),
        self: `w${self}`,
        workers: seen,
      }).claim,
  )
  for (const claim of claims) expect([...claim].sort()).toEqual([0, 2, 3, 5])
  expect(new Set(claims.map(([first]) => first)).size).toBe(3)
})
