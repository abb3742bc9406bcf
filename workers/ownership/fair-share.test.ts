import { expect, test } from 'vitest'
import { planShare, type WorkerShare } from './fair-share.ts'

const workers = (...owned: readonly (readonly number[])[]): WorkerShare[] =>
  owned.map((partitions, at) => ({ id: `w${at}`, owned: partitions }))

// biome-ignore format: the columns are the point
test.each([
  // [what, partitions, who holds what, self, claims, releases]
  ['alone it takes everything                       ', 4, workers([]),                              0, 4, []],
  ['all of them hold their share                    ', 4, workers([0, 1], [2, 3]),                  0, 0, []],
  ['it holds half of another one, which gives       ', 4, workers([0, 1, 2, 3], []),                0, 0, [2, 3]],
  ['it has nothing, and everything is held          ', 4, workers([0, 1, 2, 3], []),                1, 2, []],
  ['three share four: who has two keeps them        ', 4, workers([0], [1, 3], [2]),                1, 0, []],
  ['three share four: who has one is content        ', 4, workers([0], [1, 3], [2]),                0, 0, []],
  ['two have two, one has none: the later one gives ', 4, workers([0, 1], [2, 3], []),              1, 0, [3]],
  ['two have two, one has none: the first one keeps ', 4, workers([0, 1], [2, 3], []),              0, 0, []],
  ['one is free: the first of equals takes it       ', 4, workers([0], [1], [2]),                   0, 1, []],
  ['one is free: the others leave it                ', 4, workers([0], [1], [2]),                   2, 0, []],
  ['more workers than partitions: one too many waits', 2, workers([0], [1], []),                    2, 0, []],
  ['more workers than partitions: two is one too many', 2, workers([0, 1], [], []),                 0, 0, [1]],
] as const)('%s', (_what, partitionCount, seen, self, claimsMax, release) => {
  const move = planShare({ partitionCount, self: `w${self}`, workers: seen })
  expect(move.claimsMax).toBe(claimsMax)
  expect(move.release).toEqual(release)
})

test('only free partitions are claimed, and workers begin with different ones', () => {
  const seen = workers([1], [4], [])
  const claims = [0, 1, 2].map(
    (self) => planShare({ partitionCount: 6, self: `w${self}`, workers: seen }).claim,
  )
  for (const claim of claims) expect([...claim].sort()).toEqual([0, 2, 3, 5])
  expect(new Set(claims.map(([first]) => first)).size).toBe(3)
})
