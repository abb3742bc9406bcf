/** What a change makes of an issue on the screen, before the server has answered. */
import type { Issue, IssueChangeInput } from '../../../generated/api.d.ts'
import { termsOf, valuesOf } from '../issues/query/query-text.ts'

export type IssueChange = IssueChangeInput

export type Assignee =
  | {
      readonly kind: 'person'
      readonly id: string
      readonly name: string | null
      readonly email: string
    }
  | { readonly kind: 'team'; readonly id: string; readonly slug: string; readonly name: string }

/** `assignee` is who the change names, because the change itself has only an id. */
export function issueAfter(issue: Issue, change: IssueChange, assignee?: Assignee): Issue {
  let next: Issue = issue
  const status = statusOf(change)
  if (status === 'unresolved' && issue.status !== 'unresolved') {
    next = { ...next, ...open, status, substatus: 'ongoing' }
  } else if (status === 'resolved') {
    next = { ...next, ...open, status, substatus: null, resolution: resolutionOf(change) }
  } else if (status === 'ignored') {
    next = { ...next, ...open, status, substatus: null, ignore_until: ignoringOf(issue, change) }
  }
  if (change.assignee !== undefined) {
    const { assignee: person, assignee_team } = assigneeFields(assignee)
    next = { ...next, assignee: person, assignee_team }
    if (change.assignee !== null) next = decided(next)
  }
  if (change.priority != null) next = { ...next, priority: change.priority }
  if (change.reviewed === true) next = decided(next)
  return next
}

/** The change that brings the former state back, as far as the API can. */
export function inverseOf(before: Issue, change: IssueChange): IssueChange {
  return {
    ...(statusOf(change) === undefined ? {} : formerStatus(before)),
    ...(change.assignee === undefined ? {} : { assignee: assigneeOf(before) }),
    ...(change.priority === undefined ? {} : { priority: before.priority }),
    ...(change.snooze_until === undefined
      ? {}
      : { snooze_until: before.triage?.snoozed_until ?? null }),
  }
}

/** Whether the issue is still in a list with this query. Fields that no change touches are true. */
export function stillMatches(issue: Issue, query: string): boolean {
  return termsOf(query).every((term) => {
    const matches = term.isTag ? undefined : matchers[term.field ?? '']
    if (matches === undefined) return true
    const found = valuesOf(query, term).some((value) => matches(issue, value))
    return found !== term.isNegated
  })
}

const open = { resolution: null, ignore_until: null, triage: null, escalation: null } as const

function decided(issue: Issue): Issue {
  const substatus = issue.status === 'unresolved' ? 'ongoing' : issue.substatus
  return { ...issue, substatus, triage: null, escalation: null }
}

function statusOf({ status, resolved_in, ignore_until }: IssueChange): Issue['status'] | undefined {
  if (status !== undefined) return status
  if (resolved_in !== undefined) return 'resolved'
  return ignore_until === undefined ? undefined : 'ignored'
}

function resolutionOf({ resolved_in = 'now' }: IssueChange): Issue['resolution'] {
  const at = new Date().toISOString()
  if (resolved_in === 'now' || resolved_in === 'next_release') {
    return { in: resolved_in, release: null, commit: null, at }
  }
  const commit = /^commit:(.+)$/.exec(resolved_in)?.[1]
  if (commit !== undefined) return { in: 'commit', release: null, commit, at }
  return { in: 'release', release: resolved_in, commit: null, at }
}

function ignoringOf(issue: Issue, { ignore_until }: IssueChange): Issue['ignore_until'] {
  if (ignore_until == null) return null
  return {
    at: ignore_until.at ?? null,
    events: ignore_until.events === undefined ? null : issue.count + ignore_until.events,
    users: ignore_until.users ?? null,
    escalating: ignore_until.escalating ?? false,
  }
}

function assigneeFields(assignee: Assignee | undefined): Pick<Issue, 'assignee' | 'assignee_team'> {
  if (assignee === undefined) return { assignee: null, assignee_team: null }
  const { kind, ...fields } = assignee
  return kind === 'person'
    ? { assignee: fields as NonNullable<Issue['assignee']>, assignee_team: null }
    : { assignee: null, assignee_team: fields as NonNullable<Issue['assignee_team']> }
}

function assigneeOf({ assignee, assignee_team }: Issue): string | null {
  if (assignee_team !== null) return `team:${assignee_team.slug}`
  return assignee?.id ?? null
}

function formerStatus({ status, resolution, ignore_until, count }: Issue): IssueChange {
  if (status === 'unresolved') return { status }
  if (status === 'resolved') {
    const { release, commit } = resolution ?? {}
    if (resolution?.in === 'release' && release != null) return { resolved_in: release }
    if (resolution?.in === 'commit' && commit != null) return { resolved_in: `commit:${commit}` }
    return { resolved_in: resolution?.in === 'next_release' ? 'next_release' : 'now' }
  }
  if (ignore_until === null) return { ignore_until: null }
  const { at, events, users, escalating } = ignore_until
  const isPast = at !== null && Date.parse(at) <= Date.now()
  return {
    ignore_until: {
      ...(at === null || isPast ? {} : { at }),
      ...(events === null ? {} : { events: Math.max(1, events - count) }),
      ...(users === null ? {} : { users }),
      ...(escalating ? { escalating } : {}),
    },
  }
}

const matchers: Readonly<Record<string, (issue: Issue, value: string) => boolean>> = {
  is: (issue, value) => {
    if (value === 'triage') return issue.triage !== null
    if (value === 'assigned') return assigneeOf(issue) !== null
    if (value === 'unassigned') return assigneeOf(issue) === null
    return issue.status === value || issue.substatus === value
  },
  assigned: isAssignedTo,
  assignee: isAssignedTo,
  priority: (issue, value) => issue.priority === value || value.includes('*'),
}

function isAssignedTo({ assignee, assignee_team }: Issue, value: string): boolean {
  const who = value.toLowerCase()
  if (who === 'none') return assignee === null && assignee_team === null
  if (who.includes('*')) return true
  const team = /^(?:#|team:)(.*)$/.exec(who)?.[1]
  if (team !== undefined) return assignee_team?.slug === team
  return assignee?.email.toLowerCase() === who || assignee?.id === who
}
