import { expect, test } from 'vitest'
import { laneOf, laneSizes, threadPoolSize } from './clickhouse-lanes.ts'

test.each([
  ['select 1', 'read'],
  ['  SELECT 1', 'read'],
  ['(select 1) union all (select 2)', 'read'],
  ['with 1 as one select one', 'read'],
  ['-- insert\nselect 1', 'read'],
  ['/* insert */ explain select 1', 'read'],
  ['insert into t select 1', 'insert'],
  ['Insert Into t format RowBinary', 'insert'],
  ['alter table t delete where 1', 'change'],
  ['create table t (n Int8) engine = Memory', 'change'],
  ['selected', 'change'],
  ['', 'change'],
  [`${'('.repeat(50_000)}`, 'change'],
  [`/*${'*'.repeat(50_000)}`, 'change'],
] as const)('%.40s waits as: %s', (sql, lane) => {
  expect(laneOf(sql)).toBe(lane)
})

test('each session has a thread, and files have some', () => {
  const sessions = laneSizes.read + laneSizes.insert + laneSizes.change
  expect(threadPoolSize).toBeGreaterThan(sessions)
})
