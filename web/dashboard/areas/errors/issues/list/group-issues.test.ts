import { expect, test } from 'vitest'
import type { Issue } from '../../../../generated/api.d.ts'
import { groupIssues } from './group-issues.ts'
import { toggled } from './use-selection.ts'

const issues = [
  { id: 'a', level: 'info', last_release: null },
  { id: 'b', level: 'fatal', last_release: 'shop@2' },
  { id: 'c', level: 'info', last_release: 'shop@1' },
  { id: 'd', level: 'strange', last_release: 'shop@2' },
] as Issue[]
const shown = (by: 'none' | 'level' | 'release') =>
  groupIssues(issues, by).map(({ issue, head }) =>
    head === undefined ? issue.id : `${head.label} ${head.count}: ${issue.id}`,
  )

test('groups are in the order of the levels; the order within them stays', () => {
  expect(shown('none')).toEqual(['a', 'b', 'c', 'd'])
  expect(shown('level')).toEqual(['Fatal 1: b', 'Info 2: a', 'c', 'Strange 1: d'])
  expect(shown('release')).toEqual(['shop@2 2: b', 'd', 'shop@1 1: c', 'No release 1: a'])
})

test('shift selects from the row that was chosen before', () => {
  const select = (ids: string[], id: string, lastId: string | undefined, isRange: boolean) =>
    [...toggled({ ids: new Set(ids), items: issues, id, lastId, isRange })].sort()
  expect(select(['a'], 'c', 'a', true)).toEqual(['a', 'b', 'c'])
  expect(select(['d'], 'b', 'd', true)).toEqual(['b', 'c', 'd'])
  expect(select(['a'], 'a', 'a', false)).toEqual([])
  expect(select([], 'b', 'gone', true)).toEqual(['b'])
})
