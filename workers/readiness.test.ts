import { expect, test } from 'vitest'
import { partitionFault } from './readiness.ts'

// biome-ignore format: the columns are the point
test.each([
  ['all is well, or the process owns nothing', { stuck: [], refused: [], ready: true }, undefined],
  ['partitions were not claimed yet', { stuck: [], refused: [], ready: false }, 'This process has not claimed partitions yet.'],
  ['cursors stand still', { stuck: [1, 3], refused: [], ready: true }, 'The cursor does not move although messages wait: partition 1, 3.'],
  ['a store refuses everything', { stuck: [], refused: [2], ready: true }, 'A store refuses every record: partition 2.'],
  ['both', { stuck: [2], refused: [2], ready: true }, 'The cursor does not move although messages wait: partition 2.'],
])('%s', (_name, owner, fault) => {
  expect(partitionFault(owner)).toBe(fault)
})
