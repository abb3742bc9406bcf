/** Changes in words, for toasts and buttons. */
import { countOf, formatDay } from '../../../design/content/format.ts'
import type { Assignee, IssueChange } from './issue-after.ts'

/** `Resolved SHOP-12.`, `Assigned 3 issues to Ada.` */
export function describeChange(change: IssueChange, what: string, assignee?: Assignee): string {
  const { status, resolved_in: release, ignore_until: until } = change
  if (release === 'next_release') return `Resolved ${what} in the next release.`
  if (release !== undefined && release !== 'now') return `Resolved ${what} in ${release}.`
  if (status === 'resolved' || release === 'now') return `Resolved ${what}.`
  if (status === 'ignored' || until !== undefined) return `Ignored ${what}${untilText(until)}.`
  if (status === 'unresolved') return `Reopened ${what}.`
  if (change.snooze_until != null) return `Snoozed ${what} until ${timeText(change.snooze_until)}.`
  if (change.assignee === null) return `Nobody is assigned to ${what} now.`
  if (change.assignee !== undefined) return `Assigned ${what} to ${nameOf(assignee)}.`
  if (change.priority !== undefined) return `Set the priority of ${what} to ${change.priority}.`
  return `Reviewed ${what}.`
}

export function whatOf(shortIds: readonly string[]): string {
  return shortIds.length === 1 ? (shortIds[0] ?? '') : countOf(shortIds.length, 'issue')
}

function untilText(until: IssueChange['ignore_until']): string {
  if (until == null) return ''
  const { at, events, users, escalating } = until
  const parts = [
    at === undefined ? undefined : timeText(at),
    events === undefined ? undefined : `${countOf(events, 'more event')}`,
    users === undefined ? undefined : `${countOf(users, 'more user')}`,
    escalating === true
      ? events === undefined && users === undefined
        ? 'it escalates'
        : 'escalation'
      : undefined,
  ]
  const texts = parts.filter((part) => part !== undefined)
  return texts.length === 0 ? '' : ` until ${texts.join(' or ')}`
}

function timeText(at: string): string {
  const time = new Date(at)
  const clock = time.toLocaleTimeString('en-GB', { timeStyle: 'short' })
  const isToday = time.toDateString() === new Date().toDateString()
  return isToday ? clock : `${formatDay(time)}, ${clock}`
}

export function nameOf(assignee: Assignee | undefined): string {
  if (assignee === undefined) return 'nobody'
  return assignee.kind === 'team' ? `#${assignee.slug}` : (assignee.name ?? assignee.email)
}
