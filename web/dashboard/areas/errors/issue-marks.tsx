/** Level, state and owner of an issue in the smallest form. */
import { Avatar, Badge, type Tone } from '../../design/content/badge.tsx'
import { Icon } from '../../design/icon.tsx'
import type { Issue } from '../../generated/api.d.ts'
import './issue-marks.css'

export function LevelMark({ level }: { readonly level: string }) {
  return (
    <span class={`level-mark level-mark-${level}`} title={level}>
      <span class="screen-reader">{level}: </span>
    </span>
  )
}

const badges: Readonly<Record<string, readonly [Tone, string, string]>> = {
  regressed: ['danger', 'Regressed', 'It was resolved and came back.'],
  escalating: ['warning', 'Escalating', 'It has far more events than usual.'],
  new: ['accent', 'New', 'Nobody has decided on it yet.'],
  resolved: ['success', 'Resolved', 'An event that should have the repair reopens it.'],
  ignored: ['neutral', 'Ignored', 'It is hidden until its condition holds.'],
}

/** Nothing for an issue that is only unresolved. */
export function StateBadge({ issue }: { readonly issue: Issue }) {
  const found = badges[issue.substatus ?? issue.status] ?? badges[issue.status]
  if (found === undefined) return null
  const [tone, label, title] = found
  return (
    <Badge tone={tone} title={title}>
      {label}
    </Badge>
  )
}

export function AssigneeMark({ issue }: { readonly issue: Issue }) {
  const { assignee, assignee_team: team } = issue
  if (team !== null) {
    return (
      <span class="assignee-mark" title={`Assigned to the team ${team.name}`}>
        <Icon name="people" />
        <span class="screen-reader">{team.name}</span>
      </span>
    )
  }
  if (assignee === null)
    return <span class="assignee-mark assignee-none" title="Nobody is assigned" />
  const name = assignee.name ?? assignee.email
  return (
    <span class="assignee-mark" title={`Assigned to ${name}`}>
      <Avatar name={name} />
      <span class="screen-reader">{name}</span>
    </span>
  )
}
