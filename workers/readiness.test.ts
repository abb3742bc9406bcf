import { expect, test } from 'vitest'
import { partitionFault } from './readiness.ts'

// biome-ignore format: the columns are the point
test.each([
  ['all is well, or the process owns nothing', { stuck: [], refused: [], postgresOlder: [], ready: true }, undefined],
  ['partitions were not claimed yet', { stuck: [], refused: [], postgresOlder: [], ready: false }, 'This process has not claimed partitions yet.'],
  ['cursors stand still', { stuck: [1, 3], refused: [], postgresOlder: [], ready: true }, 'The cursor does not move although messages wait: partition 1, 3.'],
  ['a store refuses everything', { stuck: [], refused: [2], postgresOlder: [], ready: true }, 'A store refuses every record: partition 2.'],
  ['an older Postgres was restored', { stuck: [2], refused: [], postgresOlder: [2], ready: true }, 'Postgres is older than ClickHouse: partition 2. Run `admin reconcile`.'],
  ['both', { stuck: [2], refused: [2], postgresOlder: [], ready: true }, 'The cursor does not move although messages wait: partition 2.'],
])('%s', (_name, owner, fault) => {
  expect(partitionFault(owner)).toBe(fault)
})
