/** The state of an issue in words, and why it is in it. */
import type { IssueItem, TriageReason } from '#schemas/rest/issue.ts'
import { utcMinute } from '../shown-text.ts'

export interface StateWords {
  readonly label: string
  readonly tone: 'bad' | 'good' | 'plain'
  /** Sentences. */
  readonly why: readonly string[]
}

type Issue = Pick<
  IssueItem,
  'status' | 'substatus' | 'resolution' | 'ignore_until' | 'escalation' | 'triage'
>

export function issueState(issue: Issue): StateWords {
  if (issue.status === 'resolved') {
    return { label: 'Resolved', tone: 'good', why: resolutionOf(issue) }
  }
  if (issue.status === 'ignored') {
    return { label: 'Ignored', tone: 'plain', why: [ignoringOf(issue)] }
  }
  const label = issue.substatus === null ? 'Unresolved' : `Unresolved, ${issue.substatus}`
  const tone = issue.substatus === 'ongoing' ? 'plain' : 'bad'
  return { label, tone, why: [...triageOf(issue), ...escalationOf(issue)] }
}

const triageReasons: Readonly<Record<TriageReason, string>> = {
  new: 'it is new',
  regressed: 'it came back after it was resolved',
  escalating: 'it has far more events than usual',
  returned: 'it is not ignored any more',
}

function triageOf({ triage }: Issue): string[] {
  if (triage === null) return ['Not in the triage queue.']
  const { reason, since, snoozed_until: until } = triage
  const snoozed = until === null ? [] : [`Snoozed until ${utcMinute(until)}.`]
  const why = `In the triage queue since ${utcMinute(since)}: ${triageReasons[reason]}.`
  return [why, ...snoozed]
}

function escalationOf({ escalation }: Issue): string[] {
  if (escalation === null) return []
  const { count, expected, limit } = escalation
  return [`${count} events in an hour; ${expected} were expected, and the limit is ${limit}.`]
}

function resolutionOf({ resolution }: Issue): string[] {
  if (resolution === null) return []
  const { release, commit, at } = resolution
  const newest = release === null ? '' : ` The newest release was ${release}.`
  const when = utcMinute(at)
  switch (resolution.in) {
    case 'now':
      return [`Resolved at ${when}.${newest}`]
    case 'next_release':
      return [`Resolved in the next release, at ${when}.${newest}`]
    case 'release':
      return [`Resolved in the release ${release ?? ''}, at ${when}.`]
    case 'commit':
      return [`Resolved by the commit ${commit ?? ''}, at ${when}.`]
  }
}

function ignoringOf({ ignore_until: until }: Issue): string {
  if (until === null) return 'Ignored forever.'
  const ends = [
    until.at === null ? undefined : utcMinute(until.at),
    until.events === null ? undefined : `it has ${until.events} events`,
    until.users === null ? undefined : `${until.users} more users have it`,
    until.escalating ? 'it has far more events than usual' : undefined,
  ].filter((end) => end !== undefined)
  return `Ignored until ${ends.join(', or ')}.`
}
