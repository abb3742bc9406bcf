import { expect, test } from 'vitest'
import { describeChange, nameChange } from './describe-change.ts'
import type { Assignee, IssueChange } from './issue-after.ts'

const ada = { kind: 'person', id: '1', name: 'Ada', email: 'ada@example.com' } as const
const web = { kind: 'team', id: '2', slug: 'web', name: 'Web' } as const

// biome-ignore format: the columns are the point
const cases: readonly (readonly [IssueChange, Assignee | undefined, string, string])[] = [
  [{ status: 'resolved' },          undefined, 'Resolved 3 issues.',                     'Resolve 3 issues'],
  [{ resolved_in: 'now' },          undefined, 'Resolved 3 issues.',                     'Resolve 3 issues'],
  [{ resolved_in: 'next_release' }, undefined, 'Resolved 3 issues in the next release.', 'Resolve 3 issues in the next release'],
  [{ resolved_in: 'shop@2' },       undefined, 'Resolved 3 issues in shop@2.',           'Resolve 3 issues in shop@2'],
  [{ status: 'ignored' },           undefined, 'Ignored 3 issues.',                      'Ignore 3 issues'],
  [{ status: 'unresolved' },        undefined, 'Reopened 3 issues.',                     'Reopen 3 issues'],
  [{ assignee: '1' },               ada,       'Assigned 3 issues to Ada.',              'Assign 3 issues to Ada'],
  [{ assignee: 'team:web' },        web,       'Assigned 3 issues to #web.',             'Assign 3 issues to #web'],
  [{ assignee: null },              undefined, 'Unassigned 3 issues.',                   'Unassign 3 issues'],
  [{ priority: 'low' },             undefined, 'Set the priority of 3 issues to low.',   'Set the priority of 3 issues to low'],
  [{ priority: null },              undefined, 'Set the priority of 3 issues by level.', 'Set the priority of 3 issues by level'],
  [{ reviewed: true },              undefined, 'Marked 3 issues as reviewed.',           'Mark 3 issues as reviewed'],
]

test.each(cases)('%j', (change, assignee, done, action) => {
  expect(describeChange(change, '3 issues', assignee)).toBe(done)
  expect(nameChange(change, '3 issues', assignee)).toBe(action)
})
