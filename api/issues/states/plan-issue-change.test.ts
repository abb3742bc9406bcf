import { describe, expect, test } from 'vitest'
import { IssueChange } from '#schemas/rest/issue.ts'
import { type ChangeFacts, type LockedIssue, planIssueChange } from './plan-issue-change.ts'

const at = new Date('2026-11-20T10:00:00.000Z')
const before = new Date('2026-11-19T10:00:00.000Z')
const later = '2026-12-01T00:00:00.000Z'
const ada = { kind: 'person', id: 'a0a0a0a0-0000-4000-8000-000000000001', name: 'Ada' } as const
const team = { kind: 'team', id: 'a0a0a0a0-0000-4000-8000-000000000002', name: 'Back end' } as const

const open: LockedIssue = {
  id: 'a0a0a0a0-0000-4000-8000-000000000000',
  count: 40,
  status: 'unresolved',
  substatus: 'ongoing',
  assignee: null,
  assignee_team: null,
  priority: null,
  resolved_at: null,
  resolved_in: null,
  resolved_release: null,
  resolved_commit: null,
  ignored_until: null,
  ignored_until_count: null,
  ignored_until_users: null,
  ignored_until_escalating: false,
  triage_at: null,
  triage_reason: null,
  snoozed_until: null,
  escalated_at: null,
  escalation: null,
}
const resolved: LockedIssue = {
  ...open,
  status: 'resolved',
  substatus: null,
  resolved_at: before,
  resolved_in: 'now',
  resolved_release: 'app@1',
}
const ignored: LockedIssue = { ...open, status: 'ignored', substatus: null }
const triaged: LockedIssue = {
  ...open,
  substatus: 'new',
  triage_at: before,
  triage_reason: 'new',
}

const states = {
  new: triaged,
  ongoing: open,
  regressed: { ...triaged, substatus: 'regressed', triage_reason: 'regressed' },
  escalating: {
    ...triaged,
    substatus: 'ongoing',
    triage_reason: 'escalating',
    escalated_at: before,
    escalation: { hour: later, count: 9, expected: 1, limit: 3 },
  },
  returned: { ...triaged, substatus: 'ongoing', triage_reason: 'returned' },
  snoozed: { ...triaged, snoozed_until: new Date(later) },
  'owned by rules': { ...triaged, assignee: ada.id },
  'resolved now': resolved,
  'resolved next': { ...resolved, resolved_in: 'next_release' },
  'resolved in app@2': { ...resolved, resolved_in: 'release', resolved_release: 'app@2' },
  'resolved by commit': {
    ...resolved,
    resolved_in: 'commit',
    resolved_release: null,
    resolved_commit: 'abcdef1',
  },
  'resolved formerly': { ...resolved, resolved_in: null, resolved_release: null },
  'ignored forever': ignored,
  'ignored at': { ...ignored, ignored_until: new Date(later) },
  'ignored events': { ...ignored, ignored_until_count: 50 },
  'ignored users': { ...ignored, ignored_until_users: 5 },
  'ignored escalating': { ...ignored, ignored_until_escalating: true },
} as const satisfies Record<string, LockedIssue>

const changes = {
  unresolved: { status: 'unresolved' },
  resolved: { status: 'resolved' },
  now: { resolved_in: 'now' },
  next: { resolved_in: 'next_release' },
  release: { status: 'resolved', resolved_in: 'app@2' },
  commit: { resolved_in: 'commit:ABCDEF1' },
  ignored: { status: 'ignored' },
  forever: { ignore_until: null },
  at: { ignore_until: { at: later } },
  events: { ignore_until: { events: 10 } },
  users: { status: 'ignored', ignore_until: { users: 5 } },
  escalating: { ignore_until: { escalating: true } },
  ada: { assignee: 'ada@example.com' },
  team: { assignee: 'team:backend' },
  nobody: { assignee: null },
  high: { priority: 'high' },
  'no priority': { priority: null },
  reviewed: { reviewed: true },
  snooze: { snooze_until: later },
  show: { snooze_until: null },
} as const satisfies Record<string, IssueChange>

function factsOf({ assignee }: IssueChange): ChangeFacts {
  const owner = assignee == null ? undefined : assignee.startsWith('team:') ? team : ada
  return { at, newestRelease: 'app@1.5', owner }
}

/** What a person sees of the state, and the activity; `-` when nothing changes. */
function cell(state: LockedIssue, change: IssueChange): string {
  const { next, activities } = planIssueChange(state, change, factsOf(change))
  if (activities.length === 0) {
    expect(next).toEqual(withoutCount(state))
    return '-'
  }
  const how = [
    next.status === 'unresolved'
      ? next.escalated_at
        ? 'escalating'
        : next.substatus
      : next.status,
    next.resolved_in,
    next.resolved_release,
    next.resolved_commit,
    next.ignored_until && 'at',
    next.ignored_until_count,
    next.ignored_until_users && `${next.ignored_until_users} users`,
    next.ignored_until_escalating && 'escalating',
    next.assignee && 'ada',
    next.assignee_team && 'team',
    next.priority,
    next.triage_at && 'queue',
    next.snoozed_until && 'snoozed',
  ].filter((part) => part !== null && part !== false)
  return how.join(' ')
}

function withoutCount({ id: _id, count: _count, ...state }: LockedIssue) {
  return state
}

describe('every change of every state', () => {
  test.each(Object.entries(states))('%s', (name, state) => {
    const cells = Object.entries(changes)
      .map(([change, body]) => [change, cell(state, body)] as const)
      .filter(([, text]) => text !== '-')
    expect(Object.fromEntries(cells)).toEqual(table[name as keyof typeof states])
  })

  const pairs = Object.entries(states).flatMap(([state, issue]) =>
    Object.entries(changes).map(([change, body]) => [state, change, issue, body] as const),
  )

  test.each(pairs)('%s, then %s: the columns fit together', (_state, _change, issue, body) => {
    expect(() => IssueChange.parse(body)).not.toThrow()
    const { next, activities } = planIssueChange(issue, body, factsOf(body))
    const isResolved = next.status === 'resolved'
    expect(next.resolved_at !== null).toBe(isResolved)
    if (!isResolved) {
      expect([next.resolved_in, next.resolved_release, next.resolved_commit]).toEqual(
        Array(3).fill(null),
      )
    }
    const conditions = [next.ignored_until, next.ignored_until_count, next.ignored_until_users]
    if (next.status !== 'ignored') {
      expect([...conditions, next.ignored_until_escalating]).toEqual([null, null, null, false])
    }
    if (next.status !== 'unresolved') {
      expect([next.substatus, next.triage_at, next.escalated_at]).toEqual([null, null, null])
    }
    expect(next.triage_at === null).toBe(next.triage_reason === null)
    expect(next.escalated_at === null).toBe(next.escalation === null)
    if (next.triage_at === null) expect(next.snoozed_until).toBeNull()
    expect(next.assignee !== null && next.assignee_team !== null).toBe(false)
    const left = issue.triage_at !== null && next.triage_at === null
    expect(activities.filter(({ data }) => 'left_triage' in data)).toHaveLength(left ? 1 : 0)
  })

  test.each(pairs)('%s, then %s twice: the second changes nothing', (_s, _c, issue, body) => {
    const once = planIssueChange(issue, body, factsOf(body)).next
    const again = planIssueChange({ ...issue, ...once }, body, {
      ...factsOf(body),
      at: new Date(at.getTime() + 60_000),
      newestRelease: 'app@9',
    })
    expect(again).toEqual({ next: once, activities: [] })
  })
})

test('the activity says from, to, how, why, and what left the queue', () => {
  const change = {
    resolved_in: 'next_release',
    assignee: 'team:backend',
    priority: 'low',
    reason: 'Fixed by the new driver',
  } as const
  const { activities } = planIssueChange(states.regressed, change, factsOf(change))
  const { reason } = change
  expect(activities).toEqual([
    {
      kind: 'status',
      data: {
        from: 'unresolved',
        to: 'resolved',
        resolved_in: 'next_release',
        release: 'app@1.5',
        left_triage: 'regressed',
        reason,
      },
    },
    {
      kind: 'assigned',
      data: { to: { type: 'team', id: team.id, name: 'Back end' }, reason },
    },
    { kind: 'priority', data: { from: null, to: 'low', reason } },
  ])
})

test('a project without releases stores none', () => {
  const change = { resolved_in: 'next_release' } as const
  const { next } = planIssueChange(open, change, { at, newestRelease: undefined, owner: undefined })
  expect(next).toMatchObject({ resolved_in: 'next_release', resolved_release: null })
})

test('all conditions of ignoring are kept together', () => {
  const change = { ignore_until: { at: later, events: 1, users: 2, escalating: true } }
  const { next, activities } = planIssueChange(open, change, factsOf(change))
  expect(next).toMatchObject({
    ignored_until: new Date(later),
    ignored_until_count: 41,
    ignored_until_users: 2,
    ignored_until_escalating: true,
  })
  expect(activities[0]?.data['until']).toEqual({
    at: later,
    events: 41,
    users: 2,
    escalating: true,
  })
})

/** What each change makes of each state; a change that is missing makes no difference. */
// biome-ignore format: the table is easier to read in few lines
const table: Record<keyof typeof states, Partial<Record<keyof typeof changes, string>>> = {
  new: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'new high queue', reviewed: 'ongoing',
    snooze: 'new queue snoozed',
  },
  ongoing: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'ongoing high',
  },
  regressed: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'regressed high queue', reviewed: 'ongoing',
    snooze: 'regressed queue snoozed',
  },
  escalating: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'escalating high queue', reviewed: 'ongoing',
    snooze: 'escalating queue snoozed',
  },
  returned: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'ongoing high queue', reviewed: 'ongoing',
    snooze: 'ongoing queue snoozed',
  },
  snoozed: {
    resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'ongoing ada', team: 'ongoing team', high: 'new high queue snoozed', reviewed: 'ongoing',
    show: 'new queue',
  },
  'owned by rules': {
    resolved: 'resolved now app@1.5 ada', now: 'resolved now app@1.5 ada',
    next: 'resolved next_release app@1.5 ada', release: 'resolved release app@2 ada',
    commit: 'resolved commit abcdef1 ada', ignored: 'ignored ada', forever: 'ignored ada',
    at: 'ignored at ada', events: 'ignored 50 ada', users: 'ignored 5 users ada',
    escalating: 'ignored escalating ada', ada: 'ongoing ada', team: 'ongoing team',
    nobody: 'new queue', high: 'new ada high queue', reviewed: 'ongoing ada',
    snooze: 'new ada queue snoozed',
  },
  'resolved now': {
    unresolved: 'ongoing', next: 'resolved next_release app@1.5',
    release: 'resolved release app@2', commit: 'resolved commit abcdef1', ignored: 'ignored',
    forever: 'ignored', at: 'ignored at', events: 'ignored 50', users: 'ignored 5 users',
    escalating: 'ignored escalating', ada: 'resolved now app@1 ada',
    team: 'resolved now app@1 team', high: 'resolved now app@1 high',
  },
  'resolved next': {
    unresolved: 'ongoing', now: 'resolved now app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'resolved next_release app@1 ada', team: 'resolved next_release app@1 team',
    high: 'resolved next_release app@1 high',
  },
  'resolved in app@2': {
    unresolved: 'ongoing', now: 'resolved now app@1.5', next: 'resolved next_release app@1.5',
    commit: 'resolved commit abcdef1', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'resolved release app@2 ada', team: 'resolved release app@2 team',
    high: 'resolved release app@2 high',
  },
  'resolved by commit': {
    unresolved: 'ongoing', now: 'resolved now app@1.5', next: 'resolved next_release app@1.5',
    release: 'resolved release app@2', ignored: 'ignored', forever: 'ignored', at: 'ignored at',
    events: 'ignored 50', users: 'ignored 5 users', escalating: 'ignored escalating',
    ada: 'resolved commit abcdef1 ada', team: 'resolved commit abcdef1 team',
    high: 'resolved commit abcdef1 high',
  },
  'resolved formerly': {
    unresolved: 'ongoing', next: 'resolved next_release app@1.5',
    release: 'resolved release app@2', commit: 'resolved commit abcdef1', ignored: 'ignored',
    forever: 'ignored', at: 'ignored at', events: 'ignored 50', users: 'ignored 5 users',
    escalating: 'ignored escalating', ada: 'resolved ada', team: 'resolved team',
    high: 'resolved high',
  },
  'ignored forever': {
    unresolved: 'ongoing', resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', at: 'ignored at', events: 'ignored 50',
    users: 'ignored 5 users', escalating: 'ignored escalating', ada: 'ignored ada',
    team: 'ignored team', high: 'ignored high',
  },
  'ignored at': {
    unresolved: 'ongoing', resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', forever: 'ignored', events: 'ignored 50',
    users: 'ignored 5 users', escalating: 'ignored escalating', ada: 'ignored at ada',
    team: 'ignored at team', high: 'ignored at high',
  },
  'ignored events': {
    unresolved: 'ongoing', resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', forever: 'ignored', at: 'ignored at',
    users: 'ignored 5 users', escalating: 'ignored escalating', ada: 'ignored 50 ada',
    team: 'ignored 50 team', high: 'ignored 50 high',
  },
  'ignored users': {
    unresolved: 'ongoing', resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', forever: 'ignored', at: 'ignored at', events: 'ignored 50',
    escalating: 'ignored escalating', ada: 'ignored 5 users ada', team: 'ignored 5 users team',
    high: 'ignored 5 users high',
  },
  'ignored escalating': {
    unresolved: 'ongoing', resolved: 'resolved now app@1.5', now: 'resolved now app@1.5',
    next: 'resolved next_release app@1.5', release: 'resolved release app@2',
    commit: 'resolved commit abcdef1', forever: 'ignored', at: 'ignored at', events: 'ignored 50',
    users: 'ignored 5 users', ada: 'ignored escalating ada', team: 'ignored escalating team',
    high: 'ignored escalating high',
  },
}
