import { expect, test } from 'vitest'
import { undoOf } from './undo-of.ts'

const before = {
  status: 'unresolved',
  resolution: null,
  ignore_until: null,
  assignee: null,
  assignee_team: null,
  priority: 'high',
  count: 42,
} as const
const at = '2026-11-21T01:00:00.000Z'
const resolvedIn = (where: 'now' | 'next_release' | 'release' | 'commit') =>
  ({
    ...before,
    status: 'resolved',
    resolution: { in: where, release: 'shop@2', commit: 'abcdef1', at },
  }) as const
const until = { at: null, events: 50, users: null, escalating: false }

// biome-ignore format: one case a line
test.each([
  [before,                            { status: 'resolved' },            { status: 'unresolved' }],
  [before,                            { resolved_in: 'shop@3' },         { status: 'unresolved' }],
  [resolvedIn('now'),                 { status: 'unresolved' },          { status: 'resolved', resolved_in: 'now' }],
  [resolvedIn('next_release'),        { status: 'ignored' },             { status: 'resolved', resolved_in: 'next_release' }],
  [resolvedIn('release'),             { status: 'unresolved' },          { status: 'resolved', resolved_in: 'shop@2' }],
  [resolvedIn('commit'),              { status: 'unresolved' },          { status: 'resolved', resolved_in: 'commit:abcdef1' }],
  [{ ...before, status: 'ignored', ignore_until: until },                       { status: 'resolved' }, { status: 'ignored', ignore_until: { events: 8 } }],
  [{ ...before, status: 'ignored', ignore_until: { ...until, events: 40 } },    { status: 'resolved' }, { status: 'ignored', ignore_until: { events: 1 } }],
  [{ ...before, status: 'ignored' },                                            { status: 'resolved' }, { status: 'ignored' }],
  [before,                            { assignee: 'team:shop' },         { assignee: null }],
  [{ ...before, assignee: { id: 'ada', name: null, email: 'ada@example.test' } }, { assignee: null }, { assignee: 'ada' }],
  [{ ...before, assignee_team: { id: '1', slug: 'shop', name: 'Shop' } },         { assignee: null }, { assignee: 'team:shop' }],
  [before,                            { priority: 'low' },               { priority: 'high' }],
  [before,                            { reviewed: true },                undefined],
] as const)('case %#: %j after %j', (issue, change, undo) => {
  expect(undoOf(issue, change)).toEqual(undo)
})
