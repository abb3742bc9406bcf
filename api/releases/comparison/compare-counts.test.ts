import { expect, test } from 'vitest'
import { compareCounts } from './compare-counts.ts'

const even = { base: 1, head: 1 }

// biome-ignore format: the columns are the point
test.each([
  ['in the head only',           0,   1,   even,                    'new',    null],
  ['in the base only',           1,   0,   even,                    'absent', null],
  ['in neither',                 0,   0,   even,                    'none',   null],
  ['as often',                   5,   5,   even,                    'none',   null],
  ['half as often again',        10,  15,  even,                    'more',   1.5],
  ['a little more often',        10,  14,  even,                    'none',   null],
  ['twice as often, but rare',   2,   4,   even,                    'none',   null],
  ['as often among half the sessions', 10, 5, { base: 200, head: 100 }, 'none', null],
  ['more often among fewer',     10,  10,  { base: 300, head: 100 }, 'more',  3],
  ['more events among many more', 10, 50,  { base: 10, head: 1000 }, 'none',  null],
] as const)('%s', (_what, base, head, scales, list, factor) => {
  const issue = { issueId: 'i', base, head }
  const { newIssues, absentIssues, moreFrequent } = compareCounts([issue], scales)
  const found = { new: newIssues, absent: absentIssues, more: moreFrequent }
  for (const [name, issues] of Object.entries(found)) {
    const want = name === list ? [{ ...issue, factor }] : []
    expect([name, issues]).toEqual([name, want])
  }
})

test('the most frequent come first, equal ones in the order of their ids', () => {
  const issues = [
    { issueId: 'b', base: 0, head: 3 },
    { issueId: 'c', base: 0, head: 9 },
    { issueId: 'a', base: 0, head: 3 },
  ]
  const { newIssues } = compareCounts(issues, even)
  expect(newIssues.map(({ issueId }) => issueId)).toEqual(['c', 'a', 'b'])
})
