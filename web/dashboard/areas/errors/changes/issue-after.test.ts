import { describe, expect, test } from 'vitest'
import type { Issue } from '../../../generated/api.d.ts'
import { inverseGroups } from './change-issues.ts'
import { type IssueChange, inverseOf, issueAfter, stillMatches } from './issue-after.ts'

const issue: Issue = {
  id: 'a',
  short_id: 'SHOP-1',
  title: 'Error',
  culprit: '',
  level: 'error',
  platform: 'node',
  status: 'unresolved',
  substatus: 'new',
  assignee: null,
  assignee_team: null,
  priority: 'high',
  resolution: null,
  ignore_until: null,
  escalation: null,
  triage: { reason: 'new', since: '2026-11-20T00:00:00.000Z', snoozed_until: null },
  count: 42,
  sampled_count: 0,
  events_expired: false,
  user_count: 3,
  first_seen: '2026-11-20T00:00:00.000Z',
  last_seen: '2026-11-20T00:00:00.000Z',
  first_release: null,
  last_release: null,
  components: [],
  environments: [],
  series_24h: [],
}
const ada = { kind: 'person', id: 'p', name: 'Ada', email: 'ada@example.test' } as const

test.each<[IssueChange, object]>([
  [{ status: 'resolved' }, { status: 'resolved', substatus: null, triage: null }],
  [{ resolved_in: 'shop@2' }, { resolution: { in: 'release', release: 'shop@2' } }],
  [{ ignore_until: { events: 8 } }, { status: 'ignored', ignore_until: { events: 50 } }],
  [{ reviewed: true }, { status: 'unresolved', substatus: 'ongoing', triage: null }],
  [{ priority: 'low' }, { priority: 'low' }],
])('after %j', (change, expected) => {
  expect(issueAfter(issue, change)).toMatchObject(expected)
})

test('an assigned issue has its owner and is no longer new', () => {
  const after = issueAfter(issue, { assignee: 'p' }, ada)
  expect(after).toMatchObject({ assignee: { id: 'p', name: 'Ada' }, substatus: 'ongoing' })
  expect(issueAfter(after, { assignee: null })).toMatchObject({ assignee: null })
})

describe('the inverse', () => {
  const ignored: Issue = {
    ...issue,
    status: 'ignored',
    ignore_until: { at: null, events: 50, users: null, escalating: true },
  }
  const resolved: Issue = {
    ...issue,
    status: 'resolved',
    resolution: { in: 'release', release: 'shop@2', commit: null, at: '' },
  }
  test.each<[Issue, IssueChange, IssueChange]>([
    [issue, { status: 'resolved' }, { status: 'unresolved' }],
    [ignored, { status: 'resolved' }, { ignore_until: { events: 8, escalating: true } }],
    [resolved, { status: 'unresolved' }, { resolved_in: 'shop@2' }],
    [issue, { assignee: 'p' }, { assignee: null }],
    [issue, { priority: 'low' }, { priority: 'high' }],
  ])('%#', (before, change, inverse) => {
    expect(inverseOf(before, change)).toEqual(inverse)
  })

  test('issues with the same former state are one request', () => {
    const issues = [issue, { ...issue, id: 'b' }, { ...resolved, id: 'c' }]
    expect(inverseGroups(issues, { status: 'ignored' })).toEqual([
      [{ status: 'unresolved' }, ['a', 'b']],
      [{ resolved_in: 'shop@2' }, ['c']],
    ])
    expect(inverseGroups(issues, { reviewed: true })).toEqual([])
  })
})

test.each([
  ['is:unresolved', true],
  ['is:resolved', false],
  ['!is:resolved', true],
  ['is:[new, regressed]', true],
  ['is:triage', true],
  ['is:unassigned level:error', true],
  ['assigned:ada@example.test', false],
  ['assigned:none', true],
  ['priority:[low, medium]', false],
  ['tags[is]:resolved release:x out of memory', true],
])('a new issue in the list of %j: %s', (query, expected) => {
  expect(stillMatches(issue, query)).toBe(expected)
})
