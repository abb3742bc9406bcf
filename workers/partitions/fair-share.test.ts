import { expect, test } from 'vitest'
import { planShare } from './fair-share.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a lone worker claims everything',          { partitionCount: 4, liveWorkers: 1, owned: [] },        { kind: 'claim', partitions: [0, 1, 2, 3] }],
  ['it asks only for what it does not own',    { partitionCount: 4, liveWorkers: 1, owned: [1] },       { kind: 'claim', partitions: [0, 2, 3] }],
  ['with a full share it stays',               { partitionCount: 4, liveWorkers: 2, owned: [0, 3] },    { kind: 'stay' }],
  ['a newcomer makes it give one back',        { partitionCount: 4, liveWorkers: 2, owned: [0, 1, 2, 3] }, { kind: 'release', partition: 3 }],
  ['shares are rounded up, none is left over', { partitionCount: 5, liveWorkers: 2, owned: [0, 1, 2] }, { kind: 'stay' }],
  ['more workers than partitions is fine',     { partitionCount: 2, liveWorkers: 9, owned: [] },        { kind: 'claim', partitions: [0, 1] }],
  ['nobody seen alive counts as one',          { partitionCount: 2, liveWorkers: 0, owned: [0, 1] },    { kind: 'stay' }],
] as const)('%s', (_name, state, want) => {
  expect(planShare(state)).toEqual(want)
})
