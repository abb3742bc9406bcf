import { expect, test } from 'vitest'
import { hashesToSplit } from './hashes-to-split.ts'

const from = { id: 'former' }
const hashes = [
  { hash: 'own', count: 5, came_from: null },
  { hash: 'own second', count: 0, came_from: null },
  { hash: 'merged a', count: 2, came_from: from },
  { hash: 'merged b', count: 1, came_from: from },
  { hash: 'merged second', count: 0, came_from: from },
]

// biome-ignore format: one case a line
test.each([
  [['own'],                   ['own']],
  [['merged a'],              ['merged a']],
  [['merged a', 'merged b'],  ['merged a', 'merged b', 'merged second']],
  [[],                        []],
])('%j leave as %j', (chosen, leaving) => {
  expect(hashesToSplit(hashes, new Set(chosen))).toEqual(leaving)
})
