import { Badge, type Tone } from '../../../design/content/badge.tsx'
import { Time } from '../../../design/content/time.tsx'
import { shortText } from '../../../design/text/visible-text.ts'
import { toneOf } from './crash/highlights.tsx'
import type { IssueDetail } from './issue-reads.ts'

const statusTones: Readonly<Record<string, Tone>> = {
  resolved: 'success',
  ignored: 'neutral',
  new: 'accent',
  regressed: 'danger',
  escalating: 'warning',
}

/** The state in a word, and what it depends on. */
export function IssueState({ issue }: { readonly issue: IssueDetail }) {
  const { status, substatus, level, triage } = issue
  const state = status === 'unresolved' ? (substatus ?? 'unresolved') : status
  return (
    <>
      <Badge tone={toneOf(level)}>{level}</Badge>
      <Badge tone={statusTones[state] ?? 'neutral'}>{state}</Badge>
      {triage !== null && (
        <Badge tone="purple" title="Nobody has decided on it yet">
          to triage
        </Badge>
      )}
      <StateDetail issue={issue} />
    </>
  )
}

function StateDetail({ issue }: { readonly issue: IssueDetail }) {
  const { resolution, ignore_until: until, escalation, substatus } = issue
  if (resolution !== null) {
    const { in: where, release, commit } = resolution
    return (
      <span>
        {where === 'release' && `in ${shortText(release ?? '', 60)} `}
        {where === 'next_release' && `in the release after ${shortText(release ?? 'now', 60)} `}
        {where === 'commit' && `by commit ${(commit ?? '').slice(0, 12)} `}
        <Time at={resolution.at} />
      </span>
    )
  }
  if (until !== null) {
    return (
      <span>
        until {until.escalating && 'it escalates '}
        {until.at !== null && <Time at={until.at} />}
        {until.events !== null && ` ${until.events.toLocaleString('en')} events `}
        {until.users !== null && ` ${until.users.toLocaleString('en')} more users`}
      </span>
    )
  }
  if (substatus === 'escalating' && escalation !== null) {
    return (
      <span>
        {Math.round(escalation.count).toLocaleString('en')} events in an hour, expected{' '}
        {Math.round(escalation.expected).toLocaleString('en')}
      </span>
    )
  }
  return null
}
