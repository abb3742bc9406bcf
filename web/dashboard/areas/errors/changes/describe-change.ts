/** Changes in words, for toasts and buttons. */
import { countOf, formatDay } from '../../../design/content/format.ts'
import type { Assignee, IssueChange } from './issue-after.ts'

/** `Resolved SHOP-12.`, `Assigned 3 issues to Ada.` */
export function describeChange(change: IssueChange, what: string, assignee?: Assignee): string {
  const { past, rest = '' } = phraseOf(change, assignee)
  return `${past} ${what}${rest}.`
}

/** `Resolve 3 issues`, `Assign 3 issues to Ada`: what a button does. */
export function nameChange(change: IssueChange, what: string, assignee?: Assignee): string {
  const { verb, rest = '' } = phraseOf(change, assignee)
  return `${verb} ${what}${rest}`
}

interface Phrase {
  readonly past: string
  readonly verb: string
  /** What follows the issues: ` to Ada`. */
  readonly rest?: string
}

function phraseOf(change: IssueChange, assignee: Assignee | undefined): Phrase {
  const { status, resolved_in: release, ignore_until: until, priority } = change
  const resolve = { past: 'Resolved', verb: 'Resolve' }
  const prioritize = { past: 'Set the priority of', verb: 'Set the priority of' }
  if (release === 'next_release') return { ...resolve, rest: ' in the next release' }
  if (release !== undefined && release !== 'now') return { ...resolve, rest: ` in ${release}` }
  if (status === 'resolved' || release === 'now') return resolve
  if (status === 'ignored' || until !== undefined) {
    return { past: 'Ignored', verb: 'Ignore', rest: untilText(until) }
  }
  if (status === 'unresolved') return { past: 'Reopened', verb: 'Reopen' }
  if (change.snooze_until != null) {
    return { past: 'Snoozed', verb: 'Snooze', rest: ` until ${timeText(change.snooze_until)}` }
  }
  if (change.assignee === null) return { past: 'Unassigned', verb: 'Unassign' }
  if (change.assignee !== undefined) {
    return { past: 'Assigned', verb: 'Assign', rest: ` to ${nameOf(assignee)}` }
  }
  if (priority === null) return { ...prioritize, rest: ' by level' }
  if (priority !== undefined) return { ...prioritize, rest: ` to ${priority}` }
  return { past: 'Marked', verb: 'Mark', rest: ' as reviewed' }
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
